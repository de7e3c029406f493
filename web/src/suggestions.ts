/** Which rows to label next: those whose labels would clear up the most, as `glgnn suggest` says. */
import { i32, type ReportData } from './data'
import { h, section } from './dom'

/** Nothing where every row has its label. */
export function suggestionSection(data: ReportData, pick: (row: number) => void): HTMLElement | null {
  const suggestions = data.suggestions ?? []
  if (suggestions.length === 0) return null
  const places = new Map(Array.from(i32(data.row_data.numbers), (number, place) => [number, place]))
  const lines = suggestions.map(({ id, row, score, reason }) => {
    const place = places.get(row)
    const name = h('span', { class: 'cut', title: id }, id)
    return h(
      'tr',
      {},
      h('td', {}, place === undefined ? name : h('button', { type: 'button', class: 'link', click: () => pick(place) }, name)),
      h('td', { class: 'number' }, score.toFixed(2)),
      h('td', { class: 'words' }, reason)
    )
  })
  const head = [h('th', { scope: 'col' }, 'Row'), h('th', { scope: 'col', class: 'number' }, 'Helps'), h('th', { scope: 'col', class: 'words' }, 'Why')]
  return section(
    'suggestions',
    'Label these next',
    'The rows whose labels would clear up the most: the model is in doubt about them, and other rows listen to them. No two of them say the same. “Helps” is measured against the first. For more of them: glgnn suggest MODEL --top 50.',
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Rows to label next' }, h('table', { class: 'plain', id: 'suggestion-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...lines)))
  )
}
