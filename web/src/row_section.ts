/** The graph of the rows with its tools: which graph, which colours, how strong an edge, which row. */
import { colourings } from './colors'
import { edgesOf, heardPart, hears, neighbours, readGraph, saidIn, type Edges, type Graph, type PartName, type ReportData, type Rows } from './data'
import { choice, count, counted, h, percent, section, short } from './dom'
import { GraphView } from './graph_view'
import { partTitles } from './quality'
import { rowPanel, rowSearch } from './row_panel'

export interface RowSection {
  element: HTMLElement
  start(): Promise<void>
  showGraph(which: number): void
  showRow(row: number): void
  showPair(label: number, said: number, part: PartName): void
}

interface Filter {
  words: string
  holds: (row: number) => boolean
}

/** `filtered` is told when the rows that are shown change. */
export function rowSection(data: ReportData, rows: Rows, filtered: (filter: Filter | null) => void): RowSection {
  const graphs = new Map<number, { graph: Graph; edges: Edges }>()
  const graphNames = ['all graphs joined', ...data.modules.map((module, m) => `graph ${m + 1} (weight ${module.weight.toFixed(2)})`)]
  const ways = colourings(data, rows)
  let which = 0
  let way = 0
  let shownPart = 1 // of the edges, the strongest
  let groups = ways[way].groups()
  let filter: Filter | null = null

  const canvas = h('div', {
    class: 'canvas',
    id: 'row-canvas',
    tabindex: 0,
    role: 'application',
    'aria-label': `Graph of ${counted(rows.count, 'row')}. Arrow keys move, plus and minus zoom, 0 shows all; find rows with the search field.`
  })
  const status = h('p', { class: 'hint', id: 'graph-status', 'aria-live': 'polite' }, 'drawing the graph …')
  const legend = h('div', { class: 'legend', id: 'legend', role: 'group', 'aria-label': 'Colours; press one to see it alone' })
  const panel = h('aside', { class: 'panel', 'aria-label': 'The chosen row', 'aria-live': 'polite' })
  const edgeWords = h('output', { id: 'edge-words', for: 'edge-slider' })
  const view = new GraphView(rows, canvas, (row) => select(row, false))

  const read = (index: number) => {
    let known = graphs.get(index)
    if (!known) {
      const graph = readGraph(data.row_data.graphs[index])
      known = { graph, edges: edgesOf(graph) }
      graphs.set(index, known)
    }
    return known
  }

  const shownCount = (edges: Edges) => Math.round(shownPart * edges.weights.length)

  const tellEdges = () => {
    const { edges } = read(which)
    const shown = shownCount(edges)
    const least = shown ? ` · weight ≥ ${short(edges.weights[shown - 1])}` : ''
    edgeWords.textContent = `${count(shown)} of ${counted(edges.weights.length, 'link')}${least}`
  }

  const tellStatus = () => {
    const { edges } = read(which)
    const all = data.row_data.graphs[which].links_among_shown
    const sampled = rows.count < data.rows ? `A sample: ${count(rows.count)} of ${count(data.rows)} rows, at equal distances, and the links among them. ` : ''
    const cut = edges.weights.length < all ? `${count(edges.weights.length)} of ${count(all)} links${sampled && ' among them'} are in this page: of each row the strongest. ` : ''
    const alone = filter ? `Showing ${filter.words} alone. ` : ''
    const heard = which === 0 ? heardPart(data) : Number(hears(data.modules[which - 1]))
    const about =
      heard === 0
        ? 'No row hears another: links only show which rows are alike.'
        : `${heard < 1 ? `Modules that hear neighbours make ${percent(heard)} of the prediction. ` : ''}A link is a pair of rows of which one learns from the other, or each from each.`
    const notes = `${sampled}${cut}${alone}`
    status.textContent = notes && heard === 1 ? notes : `${notes || `${counted(rows.count, 'row')}, ${counted(all, 'link')}. `}${about}`
  }

  const paint = () => {
    const colors: string[] = new Array(rows.count)
    for (const group of groups) for (let i = 0; i < rows.count; i++) if (group.holds(i)) colors[i] = group.color
    view.look = { colors, visible: filter ? filter.holds : null }
    const sizes = groups.map((group) => {
      let size = 0
      for (let i = 0; i < rows.count; i++) if (group.holds(i)) size++
      return size
    })
    legend.replaceChildren(
      ...groups.flatMap((group, g) =>
        sizes[g] === 0
          ? []
          : [
              h(
                'button',
                { type: 'button', class: 'chip', 'aria-pressed': String(filter?.words === wordsOf(group.name)), click: () => setFilter(filter?.words === wordsOf(group.name) ? null : { words: wordsOf(group.name), holds: group.holds }, g) },
                h('span', { class: 'swatch', style: `background:${group.color}`, 'aria-hidden': 'true' }),
                group.name,
                h('span', { class: 'chip-count' }, count(sizes[g]))
              )
            ]
      )
    )
    tellStatus()
    view.refresh()
  }

  const wordsOf = (group: string) => `${ways[way].name}: ${group}`
  const setFilter = (to: Filter | null, focus = -1) => {
    filter = to
    filtered(to)
    paint()
    if (focus >= 0) legend.querySelectorAll('button')[focus]?.focus()
  }

  const emptyPanel = () => {
    panel.replaceChildren(
      h('h3', {}, 'No row chosen'),
      h('p', {}, 'Click a row in the picture, or type its id above, to see its prediction and the reasons for it.'),
      h('p', { class: 'hint' }, 'Drag to move, wheel or pinch to zoom; with the keyboard: arrows, + and −, 0 for the whole, / to search, Escape to close.')
    )
  }

  const select = (row: number, goThere = true) => {
    const near = row >= 0 ? neighbours(read(which).graph, row) : []
    view.select(row, near.map((n) => n.row), goThere)
    if (row < 0) return emptyPanel()
    panel.replaceChildren(rowPanel(data, rows, row, near, graphNames[which], (other) => select(other), () => (select(-1), canvas.focus())))
  }

  const showGraph = async (index: number) => {
    which = index
    graphPicker.select.selectedIndex = index
    status.textContent = 'drawing the graph …'
    const { edges } = read(index)
    await view.show(edges, shownCount(edges))
    if (which !== index) return
    tellEdges()
    tellStatus()
    select(view.selected, false)
  }

  const slider = h('input', {
    id: 'edge-slider',
    type: 'range',
    min: 0,
    max: 100,
    step: 1,
    value: 100,
    input: () => {
      shownPart = Number(slider.value) / 100
      view.shownEdges = shownCount(read(which).edges)
      tellEdges()
      scheduleRefresh()
    }
  })
  // One redraw a frame, however fast the slider moves.
  let waiting = false
  const scheduleRefresh = () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => ((waiting = false), view.refresh()))
  }

  const search = rowSearch(rows.ids, (row) => select(row))
  const graphPicker = choice('graph-picker', 'Graph', graphNames, (index) => void showGraph(index))
  const colorPicker = choice('color-picker', 'Colour by', ways.map((w) => w.name), (index) => {
    way = index
    groups = ways[way].groups()
    setFilter(null)
  })
  const button = (text: string, label: string, act: () => void) => h('button', { type: 'button', class: 'quiet', 'aria-label': label, click: act }, text)
  const zoomButtons = h('div', { class: 'zoom' }, button('+', 'Zoom in', () => view.zoom(0.6)), button('−', 'Zoom out', () => view.zoom(1.6)), button('⤢', 'Show all', () => view.reset()))

  canvas.addEventListener('keydown', (event) => {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => view.move(-1, 0),
      ArrowRight: () => view.move(1, 0),
      ArrowUp: () => view.move(0, -1),
      ArrowDown: () => view.move(0, 1),
      '+': () => view.zoom(0.7),
      '=': () => view.zoom(0.7),
      '-': () => view.zoom(1.4),
      '0': () => view.reset()
    }
    if (event.ctrlKey || event.metaKey || !keys[event.key]) return
    event.preventDefault()
    keys[event.key]()
  })
  document.addEventListener('keydown', (event) => {
    const typing = (event.target as HTMLElement).matches?.('input, select, textarea')
    if (event.key === '/' && !typing) {
      event.preventDefault()
      search.input.focus()
    } else if (event.key === 'Escape') {
      if (view.selected >= 0) select(-1)
      else if (filter) setFilter(null)
    }
  })

  emptyPanel()
  const element = section(
    'rows',
    'Graph of the rows',
    'Each point is a row; a line links neighbours in a learned graph. Rows that are predicted alike lie together.',
    h(
      'div',
      { class: 'tools' },
      search.field,
      graphPicker.field,
      colorPicker.field,
      h('label', { class: 'field slider', for: 'edge-slider' }, h('span', {}, 'Links shown, strongest first'), slider, edgeWords)
    ),
    legend,
    h('div', { class: 'graph' }, h('div', { class: 'stage' }, canvas, zoomButtons), panel),
    status
  )

  return {
    element,
    showGraph: (index) => {
      void showGraph(index)
      element.scrollIntoView()
    },
    showRow: (row) => {
      select(row)
      element.scrollIntoView()
    },
    showPair: (label, said, part) => {
      const holds = (row: number) => rows.labels[row] === label && saidIn(data, rows, part, row) === said
      select(-1)
      setFilter({ words: `${partTitles[part].toLowerCase()} rows of class ${data.classes[label]} predicted as ${data.classes[said]}`, holds })
      element.scrollIntoView()
    },
    start: async () => {
      const { edges } = read(0)
      // A hairball tells nothing: at first about four lines for each row.
      shownPart = Math.min(1, Math.max(0.01, Math.ceil((400 * rows.count) / Math.max(1, edges.weights.length)) / 100))
      slider.value = String(Math.round(100 * shownPart))
      paint()
      await showGraph(0)
      canvas.dataset.ready = 'true'
    }
  }
}
