/** The rows as a table that is sorted by any column and taken away as CSV; it lists what the graph shows. */
import { classColor } from './colors'
import { cellText, partNames, type ReportData, type Rows } from './data'
import { count, counted, csvField, h, percent, scrolled, section } from './dom'

const atOnce = 25
const shownFeatures = 4

interface Column {
  name: string
  isNumber: boolean
  value: (row: number) => string | number | null // null sorts last
  cell: (row: number) => Node | string
}

export interface RowTable {
  element: HTMLElement
  show(words: string | null, holds: ((row: number) => boolean) | null): void
}

function columnsOf(data: ReportData, rows: Rows, pick: (row: number) => void): Column[] {
  const named = (c: number) => (c < 0 ? '–' : h('span', { class: 'named' }, h('span', { class: 'swatch', style: `background:${classColor(c)}`, 'aria-hidden': 'true' }), h('span', { class: 'cut', title: data.classes[c] }, data.classes[c])))
  const parts = partNames(data)
  const right = (row: number) => (rows.labels[row] < 0 || rows.judged[row] < 0 ? null : rows.labels[row] === rows.judged[row] ? 'right' : 'wrong')
  const numeric = rows.ids.every((id) => id !== '' && Number.isFinite(Number(id)))
  return [
    {
      name: 'Row',
      isNumber: numeric,
      value: (row) => (numeric ? Number(rows.ids[row]) : rows.ids[row]),
      cell: (row) => h('button', { type: 'button', class: 'link', click: () => pick(row) }, h('span', { class: 'cut', title: rows.ids[row] }, rows.ids[row]))
    },
    { name: 'Prediction', isNumber: false, value: (row) => data.classes[rows.predicted[row]], cell: (row) => named(rows.predicted[row]) },
    { name: 'Certainty', isNumber: true, value: (row) => rows.sure[row], cell: (row) => percent(rows.sure[row]) },
    { name: 'Label', isNumber: false, value: (row) => (rows.labels[row] < 0 ? null : data.classes[rows.labels[row]]), cell: (row) => named(rows.labels[row]) },
    {
      name: 'Judged',
      isNumber: false,
      value: right,
      cell: (row) => h('span', { class: right(row) ?? '' }, `${right(row) ?? '–'}${right(row) && rows.judged[row] !== rows.predicted[row] ? `: held back, it was taken for ${data.classes[rows.judged[row]]}` : ''}`)
    },
    { name: 'Part', isNumber: false, value: (row) => parts[rows.parts[row]], cell: (row) => parts[rows.parts[row]] },
    ...rows.columns.slice(0, shownFeatures).map((column) => ({
      name: column.name,
      isNumber: !column.texts,
      value: (row: number) => (column.texts ? column.texts[column.values[row]] : Number.isNaN(column.values[row]) ? null : column.values[row]),
      cell: (row: number) => cellText(column, row)
    }))
  ]
}

/** Everything that the page knows of these rows. */
export function csvOf(data: ReportData, rows: Rows, order: Iterable<number>): string {
  const parts = partNames(data)
  const head = ['id', 'predicted', 'probability', 'label', 'held_back_as', 'part', ...data.classes.map((name) => `p_${name}`), ...rows.columns.map(({ name }) => name)]
  const name = (c: number) => (c < 0 ? '' : data.classes[c])
  const lines = [head]
  for (const row of order) {
    lines.push([
      rows.ids[row],
      name(rows.predicted[row]),
      rows.sure[row].toFixed(4),
      name(rows.labels[row]),
      rows.heldBack ? name(rows.heldBack[row]) : '',
      parts[rows.parts[row]],
      ...rows.probabilities(row).map((p) => p.toFixed(4)),
      ...rows.columns.map((column) => (column.texts ? column.texts[column.values[row]] : Number.isNaN(column.values[row]) ? '' : String(column.areClose ? column.values[row] : Number(column.values[row].toPrecision(7)))))
    ])
  }
  return lines.map((line) => line.map(csvField).join(',') + '\r\n').join('')
}

export function rowTable(data: ReportData, rows: Rows, pick: (row: number) => void): RowTable {
  const columns = columnsOf(data, rows, pick)
  let by = -1 // no column: as in the data
  let down = false
  let shown = atOnce
  let words: string | null = null
  let holds: ((row: number) => boolean) | null = null
  let order: number[] = []

  const body = h('tbody')
  const status = h('p', { class: 'hint', id: 'table-status', 'aria-live': 'polite' })
  const more = h('button', { type: 'button', id: 'table-more', click: () => ((shown *= 4), draw()) }, 'Show more')
  const heads = columns.map((column, c) =>
    h('th', { scope: 'col', class: column.isNumber ? 'number' : '' }, h('button', { type: 'button', class: 'sort', click: () => sortBy(c) }, column.name))
  )

  const arrange = () => {
    order = Array.from({ length: rows.count }, (_, i) => i).filter((row) => !holds || holds(row))
    if (by >= 0) {
      const values = order.map((row) => columns[by].value(row))
      const compare = (a: number, b: number) => {
        const [p, q] = [values[a], values[b]]
        if (p === null || q === null) return Number(p === null) - Number(q === null)
        const sign = typeof p === 'number' ? p - (q as number) : p.localeCompare(q as string, 'en', { numeric: true })
        return down ? -sign : sign
      }
      const rank = Array.from(order.keys()).sort((a, b) => compare(a, b) || a - b)
      order = rank.map((i) => order[i])
    }
    draw()
  }
  const draw = () => {
    heads.forEach((head, c) => {
      if (c === by) head.setAttribute('aria-sort', down ? 'descending' : 'ascending')
      else head.removeAttribute('aria-sort')
    })
    body.replaceChildren(...order.slice(0, shown).map((row) => h('tr', {}, ...columns.map((column) => h('td', { class: column.isNumber ? 'number' : '' }, column.cell(row))))))
    more.hidden = order.length <= shown
    const part = words ? ` (${words})` : ''
    status.textContent = `${count(Math.min(shown, order.length))} of ${counted(order.length, 'row')}${part}. Press the head of a column to sort by it, again to turn the order round.`
  }
  const sortBy = (c: number) => {
    down = by === c && !down
    by = c
    arrange()
  }
  const save = () => {
    const url = URL.createObjectURL(new Blob([csvOf(data, rows, order)], { type: 'text/csv' }))
    h('a', { href: url, download: `${data.dataset.replace(/[^\w.-]+/g, '_')}_rows.csv` }).click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }
  const left = data.features.names.length - rows.columns.length
  const values = left ? `the values of the ${counted(rows.columns.length, 'column')} with the largest weights` : 'the values of its columns'
  arrange()
  return {
    element: section(
      'table',
      'Table of the rows',
      `The rows that the graph shows, to sort and to take away. The file has every probability of a row and ${values}.`,
      h('div', { class: 'tools' }, h('button', { type: 'button', id: 'table-csv', click: save }, 'Save as CSV')),
      scrolled('Rows', h('table', { class: 'plain sorted', id: 'row-table' }, h('thead', {}, h('tr', {}, ...heads)), body)),
      status,
      more
    ),
    show: (toWords, toHolds) => {
      words = toWords
      holds = toHolds
      shown = atOnce
      arrange()
    }
  }
}
