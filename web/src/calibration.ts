/** Whether rows that are said to be 90 % sure are right nine times in ten. */
import type { Part, PartName } from './data'
import { h, svg, type Child } from './dom'
import { count, counted, interval, percent } from './format'

const [width, height, left, bottom, top, right] = [380, 304, 66, 48, 10, 24]
const x = (part: number) => left + part * (width - left - right)
const y = (part: number) => top + (1 - part) * (height - top - bottom)
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]

interface Step {
  from: number
  to: number
  rows: number
  right: number
  sure: number // mean
}

function stepsOf({ rows, right, sure }: NonNullable<Part['calibration']>): Step[] {
  return rows.map((n, s) => ({ from: s / rows.length, to: (s + 1) / rows.length, rows: n, right: right[s], sure: sure[s] })).filter((step) => step.rows > 0)
}

/** The mean distance between certainty and share of right rows, and the certainty less that share. */
export function gaps(steps: Step[]) {
  const all = steps.reduce((sum, step) => sum + step.rows, 0)
  const mean = (term: (step: Step) => number) => steps.reduce((sum, step) => sum + step.rows * term(step), 0) / all
  return {
    error: mean((s) => Math.abs(s.sure - s.right / s.rows)),
    sure: mean((s) => s.sure),
    right: mean((s) => s.right / s.rows)
  }
}

function picture(steps: Step[], words: string): SVGElement {
  const most = Math.max(...steps.map((step) => step.rows))
  const lines: Child[] = ticks.flatMap((tick) => [
    svg('g', { class: 'tick' }, svg('line', { x1: left, x2: width - right, y1: y(tick), y2: y(tick) }), svg('text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, `${100 * tick} %`)),
    svg('g', { class: 'tick' }, svg('text', { x: x(tick), y: height - bottom + 22, 'text-anchor': 'middle' }, `${100 * tick} %`))
  ])
  const marks = steps.map((step) => {
    const share = step.right / step.rows
    const { low, high } = interval(step.right, step.rows)
    return svg(
      'g',
      { class: 'mark' },
      svg('line', { x1: x(step.sure), x2: x(step.sure), y1: y(low), y2: y(high) }),
      svg('circle', { cx: x(step.sure), cy: y(share), r: 3 + 5 * Math.sqrt(step.rows / most) }),
      svg('title', {}, `${count(step.right)} of ${counted(step.rows, 'row')} right at a mean certainty of ${percent(step.sure)}`)
    )
  })
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words, id: 'calibration-picture' },
    ...lines,
    svg('line', { class: 'goal', x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    ...marks,
    svg('text', { x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, 'stated certainty'),
    svg('text', { x: 14, y: (top + height - bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, 'part that is right')
  )
}

function table(steps: Step[]): HTMLElement {
  const head = ['Certainty', 'Rows', 'Right', 'Mean certainty'].map((text) => h('th', { scope: 'col' }, text))
  const lines = steps.map((step) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, `${Math.round(100 * step.from)} to ${Math.round(100 * step.to)} %`),
      h('td', {}, count(step.rows)),
      h('td', {}, percent(step.right / step.rows)),
      h('td', {}, percent(step.sure))
    )
  )
  return h('table', { class: 'plain', id: 'calibration-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...lines))
}

export function calibration(part: Part, name: PartName): HTMLElement {
  const title = h('h3', {}, 'Is it as sure as it should be?')
  const steps = part.calibration ? stepsOf(part.calibration) : []
  if (steps.length === 0) {
    const why = name === 'train' ? 'The probabilities of these rows were taught by their own labels, so they prove nothing.' : 'No row to compare with.'
    return h('div', { id: 'calibration' }, title, h('p', { class: 'hint' }, why))
  }
  const { error, sure, right: share } = gaps(steps)
  const way = Math.abs(sure - share) < 0.01 ? 'about as sure as it is right' : sure > share ? 'surer than it is right' : 'less sure than it is right'
  const words = `On average it is ${way}: ${percent(sure)} certain and ${percent(share)} right. Certainty and truth differ by ${(100 * error).toFixed(1)} points in the mean over the steps (expected calibration error).`
  return h(
    'div',
    { id: 'calibration' },
    title,
    h('p', { class: 'lead', id: 'calibration-words' }, words),
    h(
      'div',
      { class: 'two' },
      h('figure', {}, picture(steps, words), h('figcaption', {}, 'Points on the dashed line keep their word; above it they are too modest, below it too sure. Large points have more rows; the bars are 95 % intervals.')),
      h('div', {}, table(steps))
    )
  )
}
