/** The ways to colour the rows: each cuts them into groups. */
import { partNames, type ReportData, type Rows } from './data'
import { classColor, errorColors, partColors, scaleColor } from './colors'
import { short } from './format'

export interface Group {
  name: string
  color: string
  holds: (row: number) => boolean
}

export interface Colouring {
  name: string
  groups: () => Group[]
}

const certainties = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99]
const steps = 7
const most = 10 // texts with a colour of their own

/** Groups of values: one for each where there are few, else as many rows in each, cut at short numbers. */
function byValue(values: Float32Array): Group[] {
  const gap = values.some(Number.isNaN) ? [{ name: 'missing', color: classColor(-1), holds: (row: number) => Number.isNaN(values[row]) }] : []
  const sorted = values.filter((value) => !Number.isNaN(value)).sort()
  const distinct = [...new Set(sorted)]
  if (distinct.length <= steps) {
    return [...distinct.map((value, s) => ({ name: short(value), color: scaleColor(s, distinct.length), holds: (row: number) => values[row] === value })), ...gap]
  }
  const quantiles = Array.from({ length: steps - 1 }, (_, s) => Number(short(sorted[Math.floor(((s + 1) * sorted.length) / steps)])))
  const cuts = [...new Set(quantiles)].filter((cut) => cut > sorted[0])
  const groups = [-Infinity, ...cuts].map((low, s) => {
    const high = cuts[s] ?? Infinity
    const name = s === 0 ? `below ${short(high)}` : high === Infinity ? `${short(low)} and more` : `${short(low)} to ${short(high)}`
    return { name, color: scaleColor(s, cuts.length + 1), holds: (row: number) => values[row] >= low && values[row] < high }
  })
  return [...groups, ...gap]
}

/** The texts that most rows have, each a group; the rest is one. */
function byText(texts: string[], values: Float32Array): Group[] {
  const sizes = texts.map(() => 0)
  for (const place of values) sizes[place]++
  const largest = Array.from(texts.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b)
  const shown = new Set(largest.slice(0, texts.length > most ? most - 1 : most))
  const groups = [...shown].map((place, g) => ({ name: texts[place], color: classColor(g), holds: (row: number) => values[row] === place }))
  if (shown.size === texts.length) return groups
  return [...groups, { name: `${texts.length - shown.size} others`, color: classColor(-1), holds: (row) => !shown.has(values[row]) }]
}

export function colourings(data: ReportData, rows: Rows): Colouring[] {
  const byClass = (of: Int32Array): Group[] => data.classes.map((name, c) => ({ name, color: classColor(c), holds: (row) => of[row] === c }))
  const isJudged = (row: number) => rows.labels[row] >= 0 && rows.judged[row] >= 0
  const isRight = (row: number) => rows.labels[row] === rows.judged[row]
  return [
    { name: 'prediction', groups: () => byClass(rows.predicted) },
    { name: 'label', groups: () => [...byClass(rows.labels), { name: 'unknown', color: classColor(-1), holds: (row) => rows.labels[row] < 0 }] },
    {
      name: 'right or wrong',
      groups: () => [
        { name: 'wrong', color: errorColors.wrong, holds: (row) => isJudged(row) && !isRight(row) },
        { name: 'right', color: errorColors.right, holds: (row) => isJudged(row) && isRight(row) },
        { name: 'no label to judge by', color: errorColors.unknown, holds: (row) => !isJudged(row) }
      ]
    },
    {
      name: 'certainty',
      groups: () =>
        certainties.map((low, s) => {
          const high = certainties[s + 1] ?? Infinity
          const name = s === 0 ? `below ${100 * high} %` : high === Infinity ? `${100 * low} % and more` : `${100 * low} to ${100 * high} %`
          return { name, color: scaleColor(certainties.length - 1 - s, certainties.length), holds: (row) => rows.sure[row] >= low && rows.sure[row] < high }
        })
    },
    { name: 'part of the data', groups: () => partNames(data).map((name, p) => ({ name, color: partColors[p], holds: (row) => rows.parts[row] === p })) },
    ...rows.columns.map((column) => ({ name: `column ${column.name}`, groups: () => (column.texts ? byText(column.texts, column.values) : byValue(column.values)) }))
  ]
}
