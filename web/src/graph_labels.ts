/** Labels of rows on the drawing, in the colours of the theme. */
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { Settings } from 'sigma/settings'
import { cssColor } from './theme'

type Labelled = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>

const longest = 40

function draw(context: CanvasRenderingContext2D, data: Labelled, settings: Settings, ground: string, ink: string) {
  if (!data.label) return
  const text = data.label.length > longest ? `${data.label.slice(0, longest)}…` : data.label
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`
  const width = context.measureText(text).width
  const x = data.x + data.size + 4
  context.fillStyle = ground
  context.beginPath()
  context.roundRect(x, data.y - settings.labelSize / 2 - 4, width + 12, settings.labelSize + 8, 4)
  context.fill()
  context.fillStyle = ink
  context.fillText(text, x + 6, data.y + settings.labelSize / 3)
}

export function drawLabel(context: CanvasRenderingContext2D, data: Labelled, settings: Settings) {
  draw(context, data, settings, cssColor('--label-ground'), cssColor('--ink'))
}

export function drawHover(context: CanvasRenderingContext2D, data: Labelled, settings: Settings) {
  context.beginPath()
  context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI)
  context.lineWidth = 2.5
  context.strokeStyle = cssColor('--ink')
  context.stroke()
  draw(context, data, settings, cssColor('--ink'), cssColor('--ground'))
}
