/** The network of graphs: each module a circle as large as it counts, the fused graph in the middle. */
import type { ReportData } from './data'
import { h, section, svg } from './dom'
import { percent, short } from './format'

const size = 520
const middle = size / 2

export function networkSection(data: ReportData, showGraph: (module: number) => void): HTMLElement {
  const count = data.modules.length
  const at = (m: number) => {
    const angle = (2 * Math.PI * m) / count - Math.PI / 2
    return { x: middle + 190 * Math.cos(angle), y: middle + 190 * Math.sin(angle) }
  }
  const strength = (a: number, b: number) =>
    (Math.abs(data.network[a * (count + 1) + b]) + Math.abs(data.network[b * (count + 1) + a])) / 2
  let strongest = 0
  let weakest = Infinity
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      strongest = Math.max(strongest, strength(a, b))
      weakest = Math.min(weakest, strength(a, b))
    }
  }
  const links = []
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      const part = strongest > weakest ? (strength(a, b) - weakest) / (strongest - weakest) : 1
      const [p, q] = [at(a), at(b)]
      links.push(
        svg('line', { class: 'link', x1: p.x, y1: p.y, x2: q.x, y2: q.y, 'stroke-width': 0.5 + 2.5 * part, opacity: 0.15 + 0.45 * part },
          svg('title', {}, `graph ${a + 1} and graph ${b + 1}: ${short(strength(a, b))}`))
      )
    }
  }
  const most = Math.max(...data.modules.map((module) => module.weight))
  const about = h('div', { class: 'about', id: 'module-about', 'aria-live': 'polite' })
  const tell = (m: number) => {
    const { weight, note } = data.modules[m]
    about.replaceChildren(
      h('h3', {}, `Graph ${m + 1}`),
      h('p', {}, `counts ${percent(weight)} in the fused graph (N_agg = ${short(data.network[count * (count + 1) + m])}), ${data.row_data.graphs[m + 1].edges.toLocaleString('en')} edges`),
      h('p', { class: 'note' }, note || 'All modules share the settings below; they differ in what they learned.'),
      h('button', { type: 'button', click: () => showGraph(m) }, 'Show this graph of the rows')
    )
  }
  const modules = data.modules.map((module, m) => {
    const { x, y } = at(m)
    const radius = 10 + 22 * Math.sqrt(module.weight / most)
    const words = `Graph ${m + 1}, weight ${percent(module.weight)}${module.note ? `: ${module.note}` : ''}`
    const listen = () => tell(m)
    return svg(
      'g',
      { class: 'module', tabindex: 0, role: 'button', 'aria-label': words, 'data-module': m, mouseenter: listen, focus: listen, click: listen },
      svg('line', { class: 'spoke', x1: x, y1: y, x2: middle, y2: middle, 'stroke-width': 1 + 7 * (module.weight / most) }),
      svg('circle', { cx: x, cy: y, r: radius }),
      svg('text', { x, y: y + 5, 'text-anchor': 'middle' }, String(m + 1)),
      svg('title', {}, words)
    )
  })
  tell(0)
  return section(
    'network',
    'Network of graphs',
    'Each circle is a module with its own learned graph, as large as it counts (N_agg); lines between modules are the learned network.',
    h(
      'div',
      { class: 'network' },
      svg(
        'svg',
        { viewBox: `0 0 ${size} ${size}`, role: 'group', 'aria-label': `Network of ${count} graphs around the fused one`, id: 'network-picture' },
        ...links,
        ...modules,
        svg('circle', { class: 'fused', cx: middle, cy: middle, r: 40 }),
        svg('text', { class: 'fused-text', x: middle, y: middle + 5, 'text-anchor': 'middle' }, 'fused')
      ),
      about
    )
  )
}
