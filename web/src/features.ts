/** How much each feature counts, overall and in each module: a list one can search and sort. */
import { u16, type ReportData } from './data'
import { choice, count, counted, h, section } from './dom'

const atOnce = 30

export function featureSection(data: ReportData): HTMLElement {
  const names = data.features.names
  const thing = names.length === data.features.count ? 'feature' : 'column'
  const lower = names.map((name) => name.toLowerCase())
  const read = (which: number) => Float32Array.from(u16(which === 0 ? data.features.overall : data.features.modules[which - 1]), (w) => w / 65535)
  let weights = read(0)
  let byName = false
  let wanted = ''
  let shown = atOnce

  const list = h('ol', { class: 'bars', id: 'feature-list' })
  const more = h('button', { type: 'button', id: 'feature-more', click: () => ((shown *= 4), draw()) }, 'Show more')
  const status = h('p', { class: 'hint', id: 'feature-count', 'aria-live': 'polite' })
  const draw = () => {
    const found = Array.from(names.keys()).filter((f) => lower[f].includes(wanted))
    found.sort(byName ? (a, b) => names[a].localeCompare(names[b]) : (a, b) => weights[b] - weights[a] || a - b)
    list.replaceChildren(
      ...found.slice(0, shown).map((f) =>
        h(
          'li',
          {},
          h('span', { class: 'bar-name', title: names[f] }, names[f]),
          h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span', { style: `width:${100 * weights[f]}%` })),
          h('span', { class: 'bar-value' }, weights[f].toFixed(2))
        )
      )
    )
    more.hidden = found.length <= shown
    status.textContent = `${count(Math.min(shown, found.length))} of ${counted(found.length, thing)}${wanted ? ' that match' : ''}; the largest weight is 1.`
  }
  const search = h('input', {
    id: 'feature-search',
    type: 'search',
    placeholder: 'part of a name',
    autocomplete: 'off',
    input: () => ((wanted = search.value.trim().toLowerCase()), (shown = atOnce), draw())
  })
  const of = choice('feature-of', 'Weights of', ['all modules together', ...data.modules.map((_, m) => `graph ${m + 1}`)], (which) => ((weights = read(which)), draw()))
  const order = choice('feature-order', 'Order', ['largest weight first', 'by name'], (which) => ((byName = which === 1), draw()))
  draw()
  const largest = Math.max(...data.features.pairs.map(([, , share]) => Math.abs(share)))
  const pairs = data.features.pairs.map(([column, other, share]) =>
    h(
      'li',
      {},
      h('span', { class: 'bar-name', title: `to ${column} a part of ${other} is added` }, `${column} ← ${other}`),
      h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span', { style: `width:${(100 * Math.abs(share)) / largest}%` })),
      h('span', { class: 'bar-value' }, share.toFixed(2))
    )
  )
  const graph = pairs.length === 0 ? [] : [h('h3', {}, 'The graph of the columns'), h('p', { class: 'hint' }, 'The strongest pairs: how much of another column is added to a column, which itself counts 1; less than 0: it is taken off.'), h('ol', { class: 'bars', id: 'column-pairs' }, ...pairs)]
  return section(
    'features',
    'Features',
    'How much each feature counts when rows are compared: the size of its learned selection, weighed by how much each graph counts.',
    h('div', { class: 'tools' }, h('label', { class: 'field', for: 'feature-search' }, h('span', {}, 'Find'), search), of.field, order.field),
    status,
    list,
    more,
    ...graph
  )
}
