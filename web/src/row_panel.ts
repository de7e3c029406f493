/** What is known of one row: its prediction, its neighbours and its features. */
import { partNames, type ReportData, type Rows } from './data'
import { classColor } from './colors'
import { h } from './dom'
import { percent, short } from './format'

const shownClasses = 5
const shownNeighbours = 12

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

function verdict(data: ReportData, rows: Rows, row: number) {
  const label = rows.labels[row]
  const said = data.classes[rows.predicted[row]]
  if (label < 0) return h('p', { class: 'verdict' }, `Predicted ${said}; its label is not known.`)
  const right = label === rows.predicted[row]
  return h(
    'p',
    { class: `verdict ${right ? 'right' : 'wrong'}` },
    right ? `✓ Predicted ${said}, which is right.` : `✗ Predicted ${said}, but it is ${data.classes[label]}.`
  )
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
  const neighbour = ({ row: other, weight }: Neighbour) =>
    barLine(
      [h('button', { type: 'button', class: 'link', 'data-row': other, click: () => pick(other) }, dot(rows.predicted[other]), name(rows.ids[other]))],
      weight / most,
      short(weight)
    )
  const features = rows.features(row)
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
    h('p', { class: 'hint' }, `part of the data: ${partNames[rows.parts[row]]}`),
    h('h4', {}, 'Probabilities'),
    h('ul', { class: 'bars small', id: 'row-probabilities' }, ...classes.map((c) => barLine([dot(c), name(data.classes[c])], probabilities[c], percent(probabilities[c])))),
    h('h4', {}, `Neighbours in ${graphName}`),
    near.length
      ? h('ul', { class: 'bars small', id: 'row-neighbours' }, ...near.slice(0, shownNeighbours).map(neighbour))
      : h('p', { class: 'hint' }, 'none'),
    near.length > shownNeighbours && h('p', { class: 'hint' }, `and ${near.length - shownNeighbours} weaker ones`),
    h('h4', {}, data.features.sparse ? 'Features that count most' : 'Features that stand out most'),
    features.length
      ? h('ul', { class: 'values', id: 'row-features' }, ...features.map(({ feature, value }) => h('li', {}, h('span', { class: 'bar-name' }, data.features.names[feature]), h('span', { class: 'bar-value' }, short(value)))))
      : h('p', { class: 'hint' }, 'none is set')
  )
}
