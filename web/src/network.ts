/** The network of graphs as a graph of graphs: modules as large as they count, lines for who agrees with whom. */
import { hears, u16, type Module, type ReportData } from './data'
import { counted, h, listed, percent, scrolled, section, short, svg } from './dom'

const size = 520
const middle = size / 2
const ring = 195
const partners = 2 // lines of each module, to those it agrees with most

/** How alike the modules' predictions are, by pairs: 1 where they are the same. */
export function agreements(data: ReportData): number[][] {
  const count = data.modules.length
  const entry = (a: number, b: number) => data.network[a * (count + 1) + b]
  return data.modules.map((_, a) =>
    data.modules.map((_, b) => {
      const scale = Math.sqrt(Math.abs(entry(a, a) * entry(b, b)))
      return scale > 0 ? Math.min(1, (entry(a, b) + entry(b, a)) / 2 / scale) : 0
    })
  )
}

/** Those that agree come one after the other round the circle. */
function order(agree: number[][]): number[] {
  const left = new Set(agree.keys())
  const list: number[] = []
  let at = 0
  while (left.size) {
    left.delete(at)
    list.push(at)
    let next = -1
    for (const other of left) if (next < 0 || agree[at][other] > agree[at][next]) next = other
    at = next
  }
  return list
}

/** The modules that one agrees with most, the closest first. */
const closest = (agree: number[][], m: number, wanted: number) =>
  Array.from(agree.keys())
    .filter((other) => other !== m)
    .sort((a, b) => agree[m][b] - agree[m][a] || a - b)
    .slice(0, wanted)

function keyFeatures(data: ReportData, m: number, wanted: number): string {
  const weights = u16(data.features.modules[m])
  const largest = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a] || a - b)
  return listed(largest.slice(0, wanted).map((f) => data.features.names[f]))
}

/** What the rows are when they are compared (docs/best_mode.md, Views). */
const viewWords: Record<string, string> = {
  raw: 'numbers as they are',
  standard: 'columns on one scale',
  levels: 'columns on one scale, each level of a category as one',
  rank: 'columns replaced by ranks',
  unit: 'rows of one length',
  tfidf: 'rare features count more',
  joined: 'columns joined with those most like them',
  svd16: 'features reduced to 16',
  svd32: 'features reduced to 32',
  svd64: 'features reduced to 64'
}

function compares(data: ReportData, { compares: how }: Module): string {
  if (!how) return `its ${data.settings.find(({ name }) => name === 'k')?.value ?? ''} most similar rows by the product of the features it selects`
  if (how.by_given_edges) return 'the rows that edges of the given graph join to it'
  return `its ${counted(how.k, 'most similar row')} by ${how.metric}; ${how.views.map((view) => viewWords[view] ?? view).join(', or ')}`
}

const accuracy = (data: ReportData, { line }: Module) => (line === null || data.val_accuracy === null ? '–' : percent(data.history.val_accuracy[line]))

function table(data: ReportData, agree: number[][]): HTMLElement {
  const head = ['Graph', 'Weight', 'Validation', 'Looks most at', 'Compares each row with', 'Agrees most with'].map((text) => h('th', { scope: 'col' }, text))
  const lines = data.modules.map((module, m) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, `Graph ${m + 1}`),
      h('td', {}, percent(module.weight)),
      h('td', {}, accuracy(data, module)),
      h('td', { class: 'words' }, keyFeatures(data, m, 3)),
      h('td', { class: 'words' }, compares(data, module)),
      h('td', {}, listed(closest(agree, m, partners).map((other) => String(other + 1))))
    )
  )
  return h(
    'details',
    {},
    h('summary', {}, `The ${counted(data.modules.length, 'graph')} as a table`),
    scrolled('Graphs of the network', h('table', { class: 'plain', id: 'chosen' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...lines)))
  )
}

export function networkSection(data: ReportData, showGraph: (module: number) => void): HTMLElement {
  const count = data.modules.length
  const agree = agreements(data)
  const place = new Map(order(agree).map((m, p) => [m, p]))
  const at = (m: number, out = 0) => {
    const angle = (2 * Math.PI * place.get(m)!) / count - Math.PI / 2
    return { x: middle + (ring + out) * Math.cos(angle), y: middle + (ring + out) * Math.sin(angle) }
  }
  const pairs = new Set<string>()
  for (let a = 0; a < count; a++) for (const b of closest(agree, a, partners)) pairs.add(`${Math.min(a, b)} ${Math.max(a, b)}`)
  const drawn = [...pairs].map((pair) => pair.split(' ').map(Number))
  const values = drawn.map(([a, b]) => agree[a][b])
  const [weakest, strongest] = [Math.min(...values), Math.max(...values)]
  const links = drawn.map(([a, b]) => {
    const part = strongest > weakest ? (agree[a][b] - weakest) / (strongest - weakest) : 1
    const [p, q] = [at(a), at(b)]
    // Bent towards the middle, so that no line runs through a third module.
    const bend = `${0.35 * (p.x + q.x) + 0.3 * middle} ${0.35 * (p.y + q.y) + 0.3 * middle}`
    return svg(
      'path',
      { class: 'agree', 'data-pair': `${a} ${b}`, d: `M${p.x} ${p.y} Q${bend} ${q.x} ${q.y}`, 'stroke-width': 1 + 5 * part, opacity: 0.35 + 0.45 * part },
      svg('title', {}, `graph ${a + 1} and graph ${b + 1} agree by ${agree[a][b].toFixed(3)}`)
    )
  })
  const most = Math.max(...data.modules.map((module) => module.weight))
  const room = Math.min(34, (0.92 * Math.PI * ring) / Math.max(3, count)) // no two circles touch
  const about = h('div', { class: 'about', id: 'module-about', 'aria-live': 'polite' })
  const tell = (m: number) => {
    const module = data.modules[m]
    const facts: [string, string][] = [
      ['Counts', `${percent(module.weight)} in the prediction (N_agg = ${short(data.network[count * (count + 1) + m])})`],
      ['Validation', accuracy(data, module)],
      ['Looks most at', keyFeatures(data, m, 5)],
      ['Compares each row with', compares(data, module)],
      ['Agrees most with', listed(closest(agree, m, 3).map((other) => `graph ${other + 1} (${agree[m][other].toFixed(2)})`)) || '–'],
      ['Links', `${counted(data.row_data.graphs[m + 1].links, 'pair')} of rows${hears(module) ? '' : ', which it does not hear: the features of a row decide alone'}`]
    ]
    about.replaceChildren(
      h('h3', {}, `Graph ${m + 1}`),
      h('dl', { class: 'facts' }, ...facts.filter(([, value]) => value !== '–').flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
      module.note && h('p', { class: 'note' }, module.note),
      h('button', { type: 'button', click: () => showGraph(m) }, 'Show this graph of the rows')
    )
    for (const link of links) link.classList.toggle('near', link.getAttribute('data-pair')!.split(' ').includes(String(m)))
    modules.forEach((circle, other) => circle.classList.toggle('told', other === m))
  }
  const modules = data.modules.map((module, m) => {
    const { x, y } = at(m)
    const radius = room * Math.max(0.4, Math.sqrt(module.weight / most))
    const number = at(m, radius + 14) // outside, as a small circle has no room for it
    const words = `Graph ${m + 1}, weight ${percent(module.weight)}`
    const listen = () => tell(m)
    return svg(
      'g',
      { class: 'module', tabindex: 0, role: 'button', 'aria-label': words, 'data-module': m, mouseenter: listen, focus: listen, click: listen },
      svg('circle', { cx: x, cy: y, r: radius }),
      svg('text', { x: number.x, y: number.y + 5, 'text-anchor': 'middle' }, String(m + 1)),
      svg('title', {}, words)
    )
  })
  const spokes = data.modules.map((module, m) => {
    const { x, y } = at(m)
    return svg('line', { class: 'spoke', x1: x, y1: y, x2: middle, y2: middle, 'stroke-width': 0.5 + 4 * (module.weight / most) })
  })
  tell(0)
  return section(
    'network',
    'Network of graphs',
    'Each circle is a module with its own learned graph, as large as it counts in the prediction in the middle. A line joins modules that agree, the thicker the more; each has lines to those it agrees with most. Point at a module to see what it looks at.',
    h(
      'div',
      { class: 'network' },
      svg(
        'svg',
        { viewBox: `0 0 ${size} ${size}`, role: 'group', 'aria-label': `Network of ${count} graphs around the joined one`, id: 'network-picture' },
        ...spokes,
        ...links,
        ...modules,
        svg('circle', { class: 'fused', cx: middle, cy: middle, r: 40 }),
        svg('text', { class: 'fused-text', x: middle, y: middle + 5, 'text-anchor': 'middle' }, 'joined')
      ),
      about
    ),
    table(data, agree)
  )
}
