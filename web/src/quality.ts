/** How good the predictions are: class by class, and how far their certainty can be trusted. */
import { classColor } from './colors'
import type { Part, PartName, ReportData } from './data'
import { choice, count, counted, h, interval, percent, scrolled, section, svg, type Child } from './dom'

/** Whether rows that are said to be 90 % sure are right nine times in ten. */

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

/** How good the predictions are: per class, what is taken for what, and whether they are as sure as they should be. */

export interface ClassScore {
  precision: number | null // of the rows predicted so, the part that is; null: none
  recall: number | null // of the rows that are, the part predicted so
  f1: number
}

export function classScores(part: Part): ClassScore[] {
  return part.actual.map((actual, c) => {
    const predicted = part.predicted[c]
    const right = part.right[c]
    return {
      precision: predicted ? right / predicted : null,
      recall: actual ? right / actual : null,
      f1: actual + predicted ? (2 * right) / (actual + predicted) : 0
    }
  })
}

/** The mean F1 of the classes that occur, as label or as prediction. */
export function macroF1(part: Part): number {
  const scores = classScores(part).filter((_, c) => part.actual[c] + part.predicted[c] > 0)
  return scores.reduce((sum, score) => sum + score.f1, 0) / Math.max(1, scores.length)
}

export const partTitles: Record<PartName, string> = { test: 'Test', val: 'Validation', train: 'Training' }

const partWords: Record<PartName, string> = {
  test: 'The labels of test rows were never seen by the training.',
  val: 'The labels of validation rows chose the modules, so these figures flatter a little.',
  train: 'The labels of training rows taught the model, so these figures say nothing of new rows.'
}

/** The parts that have labelled rows, what judges best first. */
export const judged = (data: ReportData) => (['test', 'val', 'train'] as PartName[]).filter((p) => data.parts[p].rows > 0)

const bar = (part: number | null) =>
  h(
    'span',
    { class: 'cell-bar' },
    h('span', { class: 'cell-fill', style: `width:${100 * (part ?? 0)}%` }),
    h('span', {}, part === null ? '–' : percent(part))
  )

const swatch = (c: number) => h('span', { class: 'swatch', style: `background:${classColor(c)}`, 'aria-hidden': 'true' })

function classTable(data: ReportData, part: Part): HTMLElement {
  const rows = classScores(part).map((score, c) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('span', { class: 'named' }, swatch(c), h('span', {}, data.classes[c]))),
      h('td', {}, count(part.actual[c])),
      h('td', {}, bar(score.precision)),
      h('td', {}, bar(score.recall)),
      h('td', {}, part.actual[c] + part.predicted[c] ? score.f1.toFixed(3) : '–')
    )
  )
  const head = ['Class', 'Rows', 'Precision', 'Recall', 'F1'].map((text) => h('th', { scope: 'col' }, text))
  return scrolled(
    'Scores of each class',
    h('table', { class: 'plain', id: 'class-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows))
  )
}

const besideTable = 8 // classes; the matrix of more is below the table

/** `pick` gets label and prediction of a cell that is pressed. */
function confusion(data: ReportData, part: Part, pick: (label: number, said: number) => void): HTMLElement {
  const n = data.classes.length
  if (part.matrix.length === 0) return h('p', { class: 'hint' }, `No confusion matrix: ${n} classes are too many to show.`)
  const wide = n > 5 && data.classes.some((name) => name.length > 4) // then columns have numbers
  const cell = (label: number, said: number) => {
    const rows = part.matrix[label * n + said]
    const share = rows / Math.max(1, part.actual[label])
    const words = `${counted(rows, 'row')} of class ${data.classes[label]} predicted as ${data.classes[said]}`
    const content = rows
      ? h('button', { type: 'button', title: words, 'aria-label': words, click: () => pick(label, said) }, count(rows))
      : h('span', { 'aria-label': words, title: words }, '·')
    // At most half of the colour, so that ink is read on it.
    return h('td', { class: label === said ? 'right' : 'wrong', style: `--share:${rows ? 0.08 + 0.42 * share : 0}` }, content)
  }
  const head = data.classes.map((name, c) => h('th', { scope: 'col', title: name }, h('span', {}, wide ? String(c + 1) : name)))
  const body = data.classes.map((name, label) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row', title: name }, h('span', {}, wide ? `${label + 1} ${name}` : name)),
      ...data.classes.map((_, said) => cell(label, said))
    )
  )
  return scrolled(
    'Confusion matrix',
    h(
      'table',
      { class: 'confusion', id: 'confusion' },
      h('thead', {}, h('tr', {}, h('td'), ...head)),
      h('tbody', {}, ...body)
    )
  )
}

export function classSection(data: ReportData, pick: (label: number, said: number, part: PartName) => void): HTMLElement {
  const parts = judged(data)
  const place = h('div', {})
  const show = (name: PartName) => {
    const part = data.parts[name]
    place.replaceChildren(
      h('p', { class: 'hint', id: 'part-words' }, partWords[name]),
      h(
        'div',
        { class: data.classes.length > besideTable ? 'two below' : 'two' },
        h('div', {}, classTable(data, part)),
        h(
          'div',
          {},
          confusion(data, part, (label, said) => pick(label, said, name)),
          h('p', { class: 'hint' }, `Label down, prediction across${name === 'val' && data.folds > 1 ? ', as the fold says that held the row back' : ''}; press a number to see its rows in the graph and in the table.`)
        )
      ),
      calibration(part, name)
    )
  }
  const picker = choice('class-part', 'Rows', parts.map((name) => `${partTitles[name]} (${count(data.parts[name].rows)})`), (p) => show(parts[p]))
  if (parts.length) show(parts[0])
  else place.append(h('p', { class: 'hint' }, 'No row has a label to compare with.'))
  return section('classes', 'Classes', 'What is found, what is taken for what, and how far the stated certainty can be trusted.', h('div', { class: 'tools' }, picker.field), place)
}
