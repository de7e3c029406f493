/** Labels of rows on the drawing, in the colours of the theme; one that would cover another is left out. */
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { Settings } from 'sigma/settings'
import { cssColor } from './theme'

type Labelled = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

const longest = 40
const textOf = (label: string) => (label.length > longest ? `${label.slice(0, longest)}…` : label)

let taken: Box[] = []
let first: (() => Labelled | null) | null = null

function boxOf(context: CanvasRenderingContext2D, data: Labelled, settings: Settings): Box {
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`
  const left = data.x + data.size + 4
  const half = settings.labelSize / 2 + 4
  return { left, right: left + context.measureText(textOf(data.label!)).width + 12, top: data.y - half, bottom: data.y + half }
}

/** Before each drawing: forgets where labels were; `always` gives the one that is drawn whatever it covers. */
export function clearLabels(always: () => Labelled | null) {
  taken = []
  first = always
}

/** Where the labels of the drawing are. */
export const labelBoxes = () => taken

const touch = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

function draw(context: CanvasRenderingContext2D, data: Labelled, settings: Settings, box: Box, ground: string, ink: string) {
  context.fillStyle = ground
  context.beginPath()
  context.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, 4)
  context.fill()
  context.fillStyle = ink
  context.fillText(textOf(data.label!), box.left + 6, data.y + settings.labelSize / 3)
}

export function drawLabel(context: CanvasRenderingContext2D, data: Labelled, settings: Settings) {
  if (!data.label) return
  const chosen = first?.() // asked for here, where sigma knows the places of this drawing
  if (chosen) taken.push(boxOf(context, chosen, settings))
  first = null
  const box = boxOf(context, data, settings)
  if (taken.some((other) => touch(box, other))) return
  taken.push(box)
  draw(context, data, settings, box, cssColor('--label-ground'), cssColor('--ink'))
}

export function drawHover(context: CanvasRenderingContext2D, data: Labelled, settings: Settings) {
  context.beginPath()
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI)
  context.lineWidth = 2.5
  context.strokeStyle = cssColor('--ink')
  context.stroke()
  if (data.label) draw(context, data, settings, boxOf(context, data, settings), cssColor('--ink'), cssColor('--ground'))
}
