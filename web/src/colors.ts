/** Colours: of classes and scales, the ways to colour the rows, light and dark. */
import { numberText, partNames, type Column, type ReportData, type Rows } from './data'

/** Colours that people with any colour vision tell apart, on light and on dark ground; from the ninth
 * class on they come again lighter, then darker, and the legend singles a class out. */
const hues = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee7733', '#009988']
const grey = '#9aa3af'

function mixed(color: string, other: number, part: number): string {
  const channel = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16)
    return Math.round(value + part * (other - value))
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`
}

export function classColor(index: number): string {
  if (index < 0) return grey
  const hue = hues[index % hues.length]
  const round = Math.floor(index / hues.length) % 3
  return round === 0 ? hue : round === 1 ? mixed(hue, 255, 0.45) : mixed(hue, 0, 0.4)
}

export const errorColors = { right: '#4477aa', wrong: '#ee7733', unknown: grey }
export const partColors = [grey, '#228833', '#ccbb44', '#4477aa']

/** From little to much: blue, green, yellow, orange; `step` of `steps`. */
export function scaleColor(step: number, steps: number): string {
  const scale = ['#4b56b0', '#3c7fc0', '#2fa3a8', '#5cb872', '#a9c34a', '#e8b93c', '#ee7733']
  return scale[Math.round((step / Math.max(1, steps - 1)) * (scale.length - 1))]
}

/** The colour as WebGL adds it: with `alpha`, and multiplied by it. */
export function seeThrough(color: string, alpha: number): string {
  const channel = (at: number) => Math.round(parseInt(color.slice(at, at + 2), 16) * alpha)
  return `rgba(${channel(1)},${channel(3)},${channel(5)},${alpha})`
}

/** The ways to colour the rows: each cuts them into groups. */

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

/** How values are written, and where they may be cut. */
interface Scale {
  text: (value: number) => string
  cut: (value: number) => number
  below: string
  above: string
}

/** Groups of values: one for each where there are few, else about as many rows in each. */
function byValue(values: Float64Array, { text, cut, below, above }: Scale): Group[] {
  const gap = values.some(Number.isNaN) ? [{ name: 'missing', color: classColor(-1), holds: (row: number) => Number.isNaN(values[row]) }] : []
  const sorted = values.filter((value) => !Number.isNaN(value)).sort()
  const distinct = [...new Set(sorted)]
  if (distinct.length <= steps) {
    return [...distinct.map((value, s) => ({ name: text(value), color: scaleColor(s, distinct.length), holds: (row: number) => values[row] === value })), ...gap]
  }
  const quantiles = Array.from({ length: steps - 1 }, (_, s) => cut(sorted[Math.floor(((s + 1) * sorted.length) / steps)]))
  const cuts = [...new Set(quantiles)].filter((value) => value > sorted[0])
  const groups = [-Infinity, ...cuts].map((low, s) => {
    const high = cuts[s] ?? Infinity
    const name = s === 0 ? `${below} ${text(high)}` : high === Infinity ? `${text(low)} ${above}` : `${text(low)} to ${text(high)}`
    return { name, color: scaleColor(s, cuts.length + 1), holds: (row: number) => values[row] >= low && values[row] < high }
  })
  return [...groups, ...gap]
}

/** The texts that most rows have, each a group; the rest is one. */
function byText(texts: string[], values: Float64Array): Group[] {
  const sizes = texts.map(() => 0)
  for (const place of values) sizes[place]++
  const largest = Array.from(texts.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b)
  const shown = new Set(largest.slice(0, texts.length > most ? most - 1 : most))
  const groups = [...shown].map((place, g) => ({ name: texts[place], color: classColor(g), holds: (row: number) => values[row] === place }))
  if (shown.size === texts.length) return groups
  return [...groups, { name: `${texts.length - shown.size} others`, color: classColor(-1), holds: (row) => !shown.has(values[row]) }]
}

function byNumber(column: Column): Group[] {
  const text = (value: number) => numberText(column, value)
  return byValue(column.values, { text, cut: (value) => Number(text(value)), below: 'below', above: 'and more' })
}

function byDate(texts: string[], values: Float64Array): Group[] {
  const places = values.map((place) => (texts[place] === 'missing' ? NaN : place))
  return byValue(places, { text: (place) => texts[place], cut: (place) => place, below: 'before', above: 'and later' })
}

const byColumn = (column: Column) => (column.texts ? (column.dates ? byDate : byText)(column.texts, column.values) : byNumber(column))

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
    ...rows.columns.map((column) => ({ name: `column ${column.name}`, groups: () => byColumn(column) }))
  ]
}

/** Light and dark: as the system says, until the person switches. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners: (() => void)[] = []
let chosen: 'light' | 'dark' | null = null

export const isDark = () => (chosen ? chosen === 'dark' : dark.matches)

/** Calls back after every change of colours. */
export const onTheme = (listener: () => void) => void listeners.push(listener)

/** The value of a CSS variable, for what is not drawn by CSS. */
export const cssColor = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Whether the system asks that nothing moves. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches

function apply(button: HTMLButtonElement) {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  button.setAttribute('aria-pressed', String(isDark()))
  button.textContent = isDark() ? '☾ Dark' : '☀ Light'
  for (const listener of listeners) listener()
}

export function startTheme(button: HTMLButtonElement) {
  apply(button)
  dark.addEventListener('change', () => apply(button))
  button.addEventListener('click', () => {
    chosen = isDark() ? 'light' : 'dark'
    apply(button)
  })
}
