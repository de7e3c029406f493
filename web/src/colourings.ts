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

/** Groups of values: one for each where there are few, else as many rows in each, cut at short numbers. */
function byValue(values: Float32Array): Group[] {
  const sorted = Float32Array.from(values).sort()
  const distinct = [...new Set(sorted)]
  if (distinct.length <= steps) {
    return distinct.map((value, s) => ({ name: short(value), color: scaleColor(s, distinct.length), holds: (row) => values[row] === value }))
  }
  const quantiles = Array.from({ length: steps - 1 }, (_, s) => Number(short(sorted[Math.floor(((s + 1) * sorted.length) / steps)])))
  const cuts = [...new Set(quantiles)].filter((cut) => cut > sorted[0])
  return [-Infinity, ...cuts].map((low, s) => {
    const high = cuts[s] ?? Infinity
    const name = s === 0 ? `below ${short(high)}` : high === Infinity ? `${short(low)} and more` : `${short(low)} to ${short(high)}`
    return { name, color: scaleColor(s, cuts.length + 1), holds: (row) => values[row] >= low && values[row] < high }
  })
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
    ...rows.features.map(({ feature, values }) => ({ name: `feature ${data.features.value_names[feature]}`, groups: () => byValue(values) }))
  ]
}
