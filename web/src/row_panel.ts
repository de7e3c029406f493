/** One row: found by its id, and what is known about it. */
import { classColor } from './colors'
import { cellText, partNames, type Reason, type ReportData, type Rows } from './data'
import { count, h, percent, short } from './dom'

/** Finding a row by typing its id: a field with a list of matches, by mouse or by keys. */

const atMost = 8

/** Ids that begin with the text first, then those that hold it. */
export function matches(ids: string[], text: string): number[] {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return []
  const begin: number[] = []
  const hold: number[] = []
  for (let i = 0; i < ids.length && begin.length < atMost; i++) {
    const id = ids[i].toLowerCase()
    if (id === wanted) begin.unshift(i)
    else if (id.startsWith(wanted)) begin.push(i)
    else if (hold.length < atMost && id.includes(wanted)) hold.push(i)
  }
  const exact = ids.findIndex((id) => id.toLowerCase() === wanted)
  const first = exact >= 0 ? [exact] : []
  return [...new Set([...first, ...begin, ...hold])].slice(0, atMost)
}

export function rowSearch(ids: string[], pick: (row: number) => void) {
  let found: number[] = []
  let active = -1
  const list = h('ul', { id: 'row-matches', role: 'listbox', 'aria-label': 'Rows found', hidden: true })
  const input = h('input', {
    id: 'row-search',
    type: 'search',
    placeholder: 'id of a row  ( / )',
    autocomplete: 'off',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'row-matches',
    'aria-autocomplete': 'list'
  })
  const draw = () => {
    list.replaceChildren(
      ...found.map((row, i) =>
        h(
          'li',
          { role: 'option', id: `row-match-${i}`, 'aria-selected': String(i === active), mousedown: (event: Event) => (event.preventDefault(), choose(i)) },
          ids[row]
        )
      )
    )
    if (input.value.trim() && found.length === 0) list.append(h('li', { class: 'none' }, 'no such row'))
    list.hidden = list.childElementCount === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    if (active >= 0) input.setAttribute('aria-activedescendant', `row-match-${active}`)
    else input.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
  }
  const choose = (i: number) => {
    if (i < 0 || i >= found.length) return
    input.value = ids[found[i]]
    close()
    pick(found[i])
  }
  input.addEventListener('input', () => {
    found = matches(ids, input.value)
    active = found.length ? 0 : -1
    draw()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (found.length) active = (active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length
      draw()
    } else if (event.key === 'Enter') {
      choose(active)
    } else if (event.key === 'Escape' && !list.hidden) {
      event.stopPropagation()
      event.preventDefault()
      close()
    }
  })
  input.addEventListener('blur', close)
  return {
    input,
    field: h('label', { class: 'field search', for: 'row-search' }, h('span', {}, 'Find a row'), input, list)
  }
}

/** What is known of one row: its prediction, the reasons for it, and its neighbours. */

const shownClasses = 5
const shownNeighbours = 8
const shownFeatures = 8

export interface Neighbour {
  row: number
  weight: number
}

const dot = (c: number) => h('span', { class: 'swatch', style: `background:${classColor(c)}`, 'aria-hidden': 'true' })

const name = (text: string) => h('span', { class: 'cut', title: text }, text)

const barLine = (words: Node[], part: number, value: string) =>
  h(
    'li',
    {},
    h('span', { class: 'bar-name' }, ...words),
    h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span', { style: `width:${100 * part}%` })),
    h('span', { class: 'bar-value' }, value)
  )

/** Right or wrong is said only where the label did not teach the prediction. */
function verdict(data: ReportData, rows: Rows, row: number) {
  const label = rows.labels[row]
  const judged = rows.judged[row]
  const said = data.classes[rows.predicted[row]]
  if (label < 0) return h('p', { class: 'verdict' }, `Predicted ${said}; its label is not known.`)
  const is = data.classes[label]
  if (judged < 0) return h('p', { class: 'verdict' }, `Predicted ${said}; its label, ${is}, taught the model.`)
  const right = label === judged
  const words = data.folds > 1 && rows.parts[row] === 1
    ? `The fold that held its label back says ${data.classes[judged]}, ${right ? 'which is right' : `but it is ${is}`}.`
    : `Predicted ${said}, ${right ? 'which is right' : `but it is ${is}`}.`
  return h('p', { class: `verdict ${right ? 'right' : 'wrong'}` }, `${right ? '✓' : '✗'} ${words}`)
}

const rowLink = (rows: Rows, row: number, pick: (row: number) => void) =>
  h('button', { type: 'button', class: 'link', 'data-row': row, click: () => pick(row) }, dot(rows.predicted[row]), name(rows.ids[row]))

/** As `glgnn explain` says it. */
function reasons(rows: Rows, reason: Reason, pick: (row: number) => void): Node[] {
  const value = (v: number | string) => (typeof v === 'number' ? short(v) : v)
  return [
    h('h4', {}, 'Because of these features'),
    h('ul', { class: 'bars small', id: 'reason-features' }, ...reason.features.map(([feature, v, weight]) => barLine([name(feature), h('span', { class: 'fact' }, ` = ${value(v)}`)], Math.max(0, weight), weight.toFixed(2)))),
    h('h4', {}, reason.neighbours.length > 0 ? 'and these neighbours' : 'and no neighbour: its own features decide alone'),
    h(
      'ul',
      { class: 'bars small', id: 'reason-neighbours' },
      ...reason.neighbours.map(([id, row, graph, weight]) => barLine([row < 0 ? name(id) : rowLink(rows, row, pick), h('span', { class: 'aside' }, `graph ${graph}`)], Math.max(0, weight), weight.toFixed(2)))
    ),
    h(
      'p',
      { class: 'hint', id: 'reason-more' },
      `${reason.more > 0 ? `And ${count(reason.more)} less important. ` : ''}Without all these the probability of the class ${reason.without > 0 ? `falls by ${(100 * reason.without).toFixed(1)} points` : 'does not fall'}.`
    )
  ]
}

/** Where the page has no reasons: how to get them, and what the row is like. */
function noReasons(rows: Rows, row: number): Node[] {
  return [
    h('p', { class: 'hint', id: 'no-reasons' }, `The reasons for this row are not in the page: it has those of ${count(rows.reasons.size)} rows, the wrong and the least certain. \`glgnn explain MODEL --row ${rows.ids[row]}\` tells them.`),
    h('h4', {}, 'Features that count most in the model'),
    h(
      'ul',
      { class: 'values', id: 'row-features' },
      ...rows.columns.slice(0, shownFeatures).map((column) => h('li', {}, h('span', { class: 'bar-name' }, name(column.name)), h('span', { class: 'bar-value' }, cellText(column, row))))
    )
  ]
}

export function rowPanel(
  data: ReportData,
  rows: Rows,
  row: number,
  near: Neighbour[],
  graphName: string,
  pick: (row: number) => void,
  close: () => void
): HTMLElement {
  const probabilities = rows.probabilities(row)
  const classes = Array.from(probabilities.keys())
    .sort((a, b) => probabilities[b] - probabilities[a])
    .slice(0, shownClasses)
  const most = near.length ? near[0].weight : 1
  const reason = rows.reasons.get(row)
  return h(
    'div',
    { class: 'row-card', id: 'row-card' },
    h(
      'div',
      { class: 'row-head' },
      h('h3', { id: 'row-id' }, `Row ${rows.ids[row]}`),
      h('button', { type: 'button', class: 'quiet', id: 'row-close', 'aria-label': 'Close the row', click: close }, '✕')
    ),
    verdict(data, rows, row),
    h('p', { class: 'hint' }, `part of the data: ${partNames(data)[rows.parts[row]]}`),
    h('h4', {}, 'Probabilities'),
    h('ul', { class: 'bars small', id: 'row-probabilities' }, ...classes.map((c) => barLine([dot(c), name(data.classes[c])], probabilities[c], percent(probabilities[c])))),
    ...(reason ? reasons(rows, reason, pick) : noReasons(rows, row)),
    h('h4', {}, `Neighbours in ${graphName}`),
    near.length
      ? h('ul', { class: 'bars small', id: 'row-neighbours' }, ...near.slice(0, shownNeighbours).map(({ row: other, weight }) => barLine([rowLink(rows, other, pick)], weight / most, short(weight))))
      : h('p', { class: 'hint' }, 'none'),
    near.length > shownNeighbours && h('p', { class: 'hint' }, `and ${near.length - shownNeighbours} weaker ones`)
  )
}
