/** How good the predictions are: headline figures, per class, and what is taken for what. */
import type { Part, PartName, ReportData } from './data'
import { choice, h, section, type Child } from './dom'
import { classColor } from './colors'
import { count, counted, percent } from './format'

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

const names: Record<PartName, string> = { test: 'Test', val: 'Validation', train: 'Training' }

/** The parts that have labelled rows, what judges best first. */
const judged = (data: ReportData) => (['test', 'val', 'train'] as PartName[]).filter((p) => data.parts[p].rows > 0)

const card = (id: string, title: string, value: string, note: string, isMain = false) =>
  h(
    'div',
    { class: isMain ? 'card main' : 'card', id },
    h('div', { class: 'card-title' }, title),
    h('div', { class: 'card-value' }, value),
    h('div', { class: 'card-note' }, note)
  )

/** Where every label is held back once: said beside the number of rows. */
export const inFolds = (data: ReportData) => (data.folds > 1 ? ` in ${data.folds} folds` : '')

export function overview(data: ReportData): HTMLElement {
  const { test, val } = data.parts
  const part = judged(data)[0]
  const cards: Child[] = [
    test.rows > 0 &&
      card('test-accuracy', 'Test accuracy', percent(test.correct / test.rows), `${count(test.correct)} of ${counted(test.rows, 'row')} right`, true),
    data.val_accuracy !== null &&
      card('val-accuracy', 'Validation accuracy', percent(data.val_accuracy), counted(val.rows, 'row') + inFolds(data), test.rows === 0),
    part &&
      card('macro-f1', 'Macro-F1', macroF1(data.parts[part]).toFixed(3), `mean over classes, ${names[part].toLowerCase()} rows`),
    card('size', 'Rows', count(data.rows), `${counted(data.features.names.length, 'feature')}, ${data.classes.length} classes`),
    card('graphs', 'Learned graphs', String(data.modules.length), `${counted(data.row_data.graphs[0].edges, 'edge')} when fused`)
  ]
  const how =
    data.mode === 'best'
      ? `${counted(data.history.val_accuracy.length - 1, 'module')} tried, ${data.modules.length} joined`
      : `epoch ${data.history.best_epoch} of ${data.history.loss.length} kept`
  return section(
    'overview',
    data.dataset,
    `Mode ${data.mode}: ${how}; ${counted(data.parts.train.rows, 'row')} to train, ${count(val.rows)} to validate${inFolds(data)}, ${count(test.rows)} to test.`,
    h('div', { class: 'cards' }, ...cards)
  )
}

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
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Scores of each class' },
    h('table', { class: 'plain', id: 'class-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows))
  )
}

/** `pick` gets label and prediction of a cell that is pressed; null where the graph knows other predictions. */
function confusion(data: ReportData, part: Part, pick: ((label: number, said: number) => void) | null): HTMLElement {
  const n = data.classes.length
  if (part.matrix.length === 0) return h('p', { class: 'hint' }, `No confusion matrix: ${n} classes are too many to show.`)
  const wide = n > 5
  const cell = (label: number, said: number) => {
    const rows = part.matrix[label * n + said]
    const share = rows / Math.max(1, part.actual[label])
    const words = `${counted(rows, 'row')} of class ${data.classes[label]} predicted as ${data.classes[said]}`
    const kind = label === said ? 'right' : 'wrong'
    const content = rows && pick
      ? h('button', { type: 'button', title: words, 'aria-label': words, click: () => pick(label, said) }, count(rows))
      : h('span', { 'aria-label': words, title: words }, rows ? count(rows) : '·')
    return h('td', { class: `${kind}${share > 0.55 ? ' full' : ''}`, style: `--share:${rows ? 0.12 + 0.88 * share : 0}` }, content)
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
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Confusion matrix' },
    h(
      'table',
      { class: 'confusion', id: 'confusion' },
      h('caption', {}, `Label down, prediction across; ${pick ? 'press a number to see its rows in the graph' : 'each row as the fold says that held it back'}`),
      h('thead', {}, h('tr', {}, h('td'), ...head)),
      h('tbody', {}, ...body)
    )
  )
}

export function classSection(data: ReportData, pick: (label: number, said: number, part: PartName) => void): HTMLElement {
  const parts = judged(data)
  const place = h('div', { class: 'two' })
  const show = (name: PartName) =>
    place.replaceChildren(
      h('div', {}, classTable(data, data.parts[name])),
      h('div', {}, confusion(data, data.parts[name], name === 'val' && data.folds > 1 ? null : (label, said) => pick(label, said, name)))
    )
  const picker = choice('class-part', 'Rows', parts.map((p) => `${names[p]} (${count(data.parts[p].rows)})`), (p) => show(parts[p]))
  if (parts.length) show(parts[0])
  else place.append(h('p', { class: 'hint' }, 'No row has a label to compare with.'))
  return section('classes', 'Classes', 'What is found, and what is taken for what.', h('div', { class: 'tools' }, picker.field), place)
}
