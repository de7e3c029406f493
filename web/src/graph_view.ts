/** The drawing of one graph of the rows: sigma on WebGL, with looks kept in plain arrays. */
import type { NodeDisplayData, PartialButFor } from 'sigma/types'
import type { Settings } from 'sigma/settings'
import Graph from 'graphology'
import Sigma from 'sigma'
import { EdgeLineProgram, EdgeRectangleProgram } from 'sigma/rendering'
import { cssColor, isDark, onTheme, reducedMotion, seeThrough } from './colors'
import type { Edges, Rows } from './data'

/** Labels of rows on the drawing, in the colours of the theme; one that would cover another is left out. */

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

const thickEdges = 30_000 // more are drawn as hairlines
const sliceMs = 12
const shownLabels = 20 // of neighbours

/** Lets the page answer between slices of long work. */
const breathe = () => new Promise((resolve) => setTimeout(resolve))

export interface Look {
  colors: string[] // of each row
  visible: ((row: number) => boolean) | null // null: all
}

export class GraphView {
  private sigma: Sigma | null = null
  private edges: Edges | null = null
  private near = new Set<number>()
  private labelled = new Set<number>() // of these, the strongest
  private building = 0
  look: Look = { colors: [], visible: null }
  selected = -1
  shownEdges = 0

  constructor(
    private rows: Rows,
    private container: HTMLElement,
    private onPick: (row: number) => void
  ) {
    onTheme(() => this.refresh())
  }

  /** Draws these edges; resolves when they are on the screen, or at once if others were asked for since. */
  async show(edges: Edges, shownEdges: number): Promise<void> {
    const mine = ++this.building
    const graph = await this.build(edges, () => mine === this.building)
    if (!graph) return
    this.edges = edges
    this.shownEdges = shownEdges
    readColors(shownEdges)
    if (this.sigma) this.sigma.setGraph(graph)
    else this.start(graph)
  }

  private async build(edges: Edges, wanted: () => boolean): Promise<Graph | null> {
    const graph = new Graph({ type: 'undirected', multi: false, allowSelfLoops: false })
    let since = performance.now()
    const pause = async () => {
      if (performance.now() - since < sliceMs) return
      await breathe()
      since = performance.now()
    }
    const size = Math.max(2, Math.min(7, 130 / Math.sqrt(this.rows.count)))
    for (let i = 0; i < this.rows.count; i++) {
      graph.addNode(i, { x: this.rows.x[i], y: -this.rows.y[i], size })
      if (i % 500 === 0) await pause()
    }
    for (let e = 0; e < edges.weights.length; e++) {
      graph.addUndirectedEdgeWithKey(e, edges.from[e], edges.to[e])
      if (e % 500 === 0) await pause()
      if (!wanted()) return null
    }
    return graph
  }

  private start(graph: Graph) {
    this.sigma = new Sigma(graph, this.container, {
      zIndex: true,
      renderEdgeLabels: false,
      allowInvalidContainer: true, // printing and hiding may leave it no width for a moment
      labelFont: 'system-ui, sans-serif',
      labelSize: 13,
      labelRenderedSizeThreshold: Infinity, // only those that are forced
      hideEdgesOnMove: graph.size > 60_000,
      stagePadding: 24,
      minCameraRatio: 0.01,
      maxCameraRatio: 3,
      defaultEdgeType: graph.size > thickEdges ? 'line' : 'thick',
      edgeProgramClasses: { line: EdgeLineProgram, thick: EdgeRectangleProgram },
      defaultDrawNodeLabel: drawLabel,
      defaultDrawNodeHover: drawHover,
      nodeReducer: (node, data) => this.nodeLook(Number(node), data),
      edgeReducer: (edge) => this.edgeLook(Number(edge)),
      inertiaDuration: reducedMotion() ? 0 : 200,
      zoomDuration: reducedMotion() ? 0 : 250
    })
    this.sigma.on('beforeRender', () => clearLabels(() => this.chosenLabel()))
    this.sigma.on('afterRender', () => void (this.container.dataset.labels = JSON.stringify(labelBoxes())))
    this.sigma.on('clickNode', ({ node }) => this.onPick(Number(node)))
    this.sigma.on('clickStage', () => this.onPick(-1))
    this.sigma.on('enterNode', ({ node }) => this.hover(Number(node)))
    this.sigma.on('leaveNode', () => this.hover(-1))
  }

  private chosenLabel() {
    const sigma = this.sigma!
    const chosen = this.selected >= 0 ? sigma.getNodeDisplayData(String(this.selected)) : undefined
    return chosen ? { ...chosen, ...sigma.framedGraphToViewport(chosen), size: sigma.scaleSize(chosen.size) } : null
  }

  private nodeLook(row: number, data: Record<string, any>) {
    const isChosen = row === this.selected
    const isNear = this.near.has(row)
    const faded = (this.look.visible && !this.look.visible(row)) || (this.selected >= 0 && !isChosen && !isNear)
    return {
      x: data.x,
      y: data.y,
      size: isChosen ? data.size * 2 + 2 : isNear ? data.size * 1.4 + 1 : faded ? data.size * 0.75 : data.size,
      color: faded && !isChosen ? cssFaded : this.look.colors[row],
      label: this.rows.ids[row],
      forceLabel: this.labelled.has(row), // the chosen one is highlighted, and so has its label
      highlighted: isChosen,
      zIndex: isChosen ? 3 : isNear ? 2 : faded ? 0 : 1
    }
  }

  private edgeLook(edge: number) {
    const { from, to } = this.edges!
    const a = from[edge]
    const b = to[edge]
    if (this.selected >= 0) {
      const touches = (a === this.selected && this.near.has(b)) || (b === this.selected && this.near.has(a))
      return touches ? { color: cssStrong, size: 2, zIndex: 1 } : { color: cssWeak, size: 0.5, zIndex: 0, hidden: edge >= this.shownEdges }
    }
    const { visible } = this.look
    const hidden = edge >= this.shownEdges || (visible !== null && !(visible(a) && visible(b)))
    return { color: cssEdge, size: 0.7, zIndex: 0, hidden }
  }

  private hover(row: number) {
    this.container.style.cursor = row >= 0 ? 'pointer' : ''
  }

  /** After a change of look, selection or the number of shown edges. */
  refresh() {
    readColors(this.shownEdges)
    this.sigma?.refresh({ skipIndexation: true })
  }

  /** `near`: its neighbours, the strongest first. */
  select(row: number, near: number[], goThere: boolean) {
    this.selected = row
    this.near = new Set(near)
    this.labelled = new Set(near.slice(0, shownLabels))
    this.refresh()
    if (row >= 0 && goThere) this.goTo(row)
  }

  private goTo(row: number) {
    const place = this.sigma?.getNodeDisplayData(String(row))
    if (!place) return
    const camera = this.sigma!.getCamera()
    void camera.animate({ x: place.x, y: place.y, ratio: Math.min(camera.ratio, 0.5) }, { duration: reducedMotion() ? 1 : 400 })
  }

  zoom(factor: number) {
    const camera = this.sigma?.getCamera()
    if (camera) void camera.animate({ ratio: camera.ratio * factor }, { duration: reducedMotion() ? 1 : 150 })
  }

  move(right: number, down: number) {
    const camera = this.sigma?.getCamera()
    if (camera) camera.setState({ x: camera.x + 0.1 * camera.ratio * right, y: camera.y - 0.1 * camera.ratio * down })
  }

  reset() {
    void this.sigma?.getCamera().animate({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, { duration: reducedMotion() ? 1 : 300 })
  }
}

// Read once for each drawing: the reducers ask for them a hundred thousand times.
let cssFaded = ''
let cssEdge = ''
let cssWeak = ''
let cssStrong = ''

/** The more lines, the fainter each is. */
function readColors(lines: number) {
  const alpha = Math.max(0.05, Math.min(0.3, 12 / Math.sqrt(Math.max(1, lines))))
  const line = isDark() ? '#aab8cc' : '#5a6b80'
  cssFaded = cssColor('--faded')
  cssEdge = seeThrough(line, alpha)
  cssWeak = seeThrough(line, alpha / 4)
  cssStrong = seeThrough(cssColor('--accent'), 0.85)
}
