/** The first screen: the figures, and the report in a few sentences. */
import { heardPart, hears, hearsGiven, i32, u16, type Part, type PartName, type ReportData, type Rows } from './data'
import { count, counted, h, interval, listed, percent, scrolled, section, type Child } from './dom'
import { judged, macroF1, partTitles } from './quality'

const card = (id: string, title: string, value: string, note: string, isMain = false) =>
  h(
    'div',
    { class: isMain ? 'card main' : 'card', id },
    h('div', { class: 'card-title' }, title),
    h('div', { class: 'card-value' }, value),
    h('div', { class: 'card-note' }, note)
  )

const range = ({ low, high }: { low: number; high: number }) => `${(100 * low).toFixed(1)} to ${percent(high)}`

/** The class that most rows of a part have. */
function largest(data: ReportData, part: Part) {
  const most = Math.max(...part.actual)
  return { name: data.classes[part.actual.indexOf(most)], share: most / part.rows }
}

/** In folds every label teaches; those that a fold held back also judge. */
function heldBack(data: ReportData): string {
  const { train, val } = data.parts
  const which = val.rows < train.rows ? `${count(val.rows)} of them` : 'each of them'
  return `${which} held back once in ${data.folds} folds and taught in the others`
}

/** What the rows have: the columns of a table, and the features that they became. */
function featureWords({ features: { names, count: features } }: ReportData): string {
  const words = counted(features, 'feature')
  return names.length === features ? words : `${counted(names.length, 'column')} (${words})`
}

/** Where the labels went. */
export function labelWords(data: ReportData): string {
  const { train, val, test } = data.parts
  const rest = test.rows ? `, ${count(test.rows)} to test` : ''
  if (data.folds > 1) return `${counted(train.rows, 'label')}, ${heldBack(data)}${rest}`
  return `${counted(train.rows, 'label')} to train, ${count(val.rows)} to validate${rest}`
}

function learned(data: ReportData): string {
  const labels = data.parts.train.rows + (data.folds > 1 ? 0 : data.parts.val.rows)
  const what = `It tells ${counted(data.classes.length, 'class', 'classes')} apart by ${featureWords(data)}.`
  const how = data.folds > 1 ? `, ${heldBack(data)}` : data.parts.val.rows ? ` (${count(data.parts.train.rows)} to train, ${count(data.parts.val.rows)} to choose)` : ''
  return `The model learned from ${counted(labels, 'label')} of ${counted(data.rows, 'row')}${how}. ${what}`
}

/** Beside always saying the largest class, which needs no model. */
function beside(accuracy: number, low: number, name: string, share: number): string {
  const better = accuracy <= share ? 'no better than' : low <= share ? 'perhaps no better than' : ''
  return better ? `That is ${better} always saying ${name}, which is right on ${percent(share)}.` : `Always saying ${name}, the largest class, would be right on ${percent(share)}.`
}

/** The rows by which logistic regression is judged. */
const same = (data: ReportData): string => `the same ${data.folds > 1 ? 'folds' : 'rows'}`

/** What the validation rows chose. */
const chosen = (data: ReportData): string => (data.mode === 'paper' ? 'epoch' : 'modules')

/** Whom the estimate speaks for: new rows have no given edges. */
const rowsJudged = (data: ReportData): string => (data.has_graph ? 'rows of this table without a label' : 'rows not seen')

function quality(data: ReportData): string {
  const { test, val } = data.parts
  if (test.rows > 0) {
    const most = largest(data, test)
    const accuracy = test.correct / test.rows
    const share = interval(test.correct, test.rows)
    return `On the ${count(test.rows)} test rows, whose labels it never saw, it is right on ${percent(accuracy)} (95 % interval ${range(share)}). ${beside(accuracy, share.low, most.name, most.share)}`
  }
  if (data.estimate) {
    const e = data.estimate
    const baseline = e.baseline_accuracy === null ? '' : ` Logistic regression on ${same(data)} is right on ${percent(e.baseline_accuracy)}.`
    const alone = data.has_graph ? ' Expect less on rows that are not in it: they have no edges of the given graph.' : ''
    return `On ${rowsJudged(data)} it is right on about ${percent(e.accuracy)} (95 % interval ${range(e)}): an estimate from ${counted(e.rows, 'label')} that were held back. ${beside(e.accuracy, e.low, e.majority_class, e.majority_share)}${baseline}${alone}`
  }
  if (data.val_accuracy === null) return 'No label was held back, so nobody knows how good it is.'
  const most = largest(data, val)
  return `On the ${count(val.rows)} validation rows, which also chose the ${chosen(data)}, it is right on ${percent(data.val_accuracy)}; expect less on new rows. Always saying ${most.name} would be right on ${percent(most.share)}.`
}

/** The pair of classes that is taken for each other most. */
function mistakes(data: ReportData, name: PartName): string {
  const part = data.parts[name]
  const n = data.classes.length
  const wrong = part.rows - part.correct
  const of = `${partTitles[name].toLowerCase()} rows`
  if (wrong === 0) return `None of the ${count(part.rows)} ${of} is wrong.`
  if (part.matrix.length === 0) return `${count(wrong)} of the ${count(part.rows)} ${of} are wrong.`
  const wrongOnes = `${count(wrong)} of the ${count(part.rows)} ${of} ${wrong === 1 ? 'is' : 'are'} wrong`
  const pairs = Array.from({ length: n * n }, (_, at) => at).filter((at) => at % n !== Math.floor(at / n))
  const most = Math.max(...pairs.map((at) => part.matrix[at]))
  const those = pairs.filter((at) => part.matrix[at] === most)
  const words = `${data.classes[Math.floor(those[0] / n)]} taken for ${data.classes[those[0] % n]}`
  if (wrong === 1) return `${wrongOnes}: ${words}.`
  if (those.length > 1) return most === 1 ? `${wrongOnes}, each in another way.` : `${wrongOnes}; among the most frequent mistakes is ${words} (${counted(most, 'row')}).`
  return `${wrongOnes}; the most frequent mistake is ${words} (${counted(most, 'row')}).`
}

function certainty(rows: Rows, isSample: boolean): string {
  let [open, unsure] = [0, 0]
  for (let i = 0; i < rows.count; i++) {
    if (rows.labels[i] >= 0) continue
    open++
    if (rows.sure[i] < 0.6) unsure++
  }
  if (open === 0) return ''
  return `Of the ${counted(open, 'row')} without a label${isSample ? ' in this page' : ''}, it is less than 60 % sure about ${count(unsure)}${unsure ? '. The list “Label these next” says which labels would help most' : ''}.`
}

function shares(data: ReportData): string {
  if (!data.class_shares) return ''
  const parts = Object.entries(data.class_shares).map(([name, share]) => `${name} ${percent(share)}`)
  return `All classes have as many labels, which does not tell how common they are: the rows without a label look like ${listed(parts)}, and are judged so.`
}

function looksAt(data: ReportData): string {
  const weights = u16(data.features.overall)
  const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a] || a - b)
  const names = listed(order.slice(0, 3).map((f) => data.features.names[f]))
  const heard = data.modules.filter(hears).length
  const graphs = `${counted(data.modules.length, 'learned graph')} with ${counted(data.row_data.graphs[0].links, 'link')} when joined`
  const given = heardPart(data, hearsGiven)
  if (given > 0) return `It looks most at ${names}. ${given < 1 ? `In modules that make ${percent(given)} of the prediction it` : 'It'} hears which classes the edges of the given graph join.`
  if (heard === data.modules.length) return `It looks most at ${names}, and at neighbours in ${graphs}.`
  if (heard === 0) return `It looks most at ${names}, and hears no neighbour: the ${graphs} only show which rows are alike.`
  return `It looks most at ${names}, and, in modules that make ${percent(heardPart(data))} of the prediction, at neighbours in ${heard} of the ${graphs}.`
}

export function overview(data: ReportData, rows: Rows): HTMLElement {
  const { test, val } = data.parts
  const part = judged(data)[0]
  const estimate = test.rows > 0 ? null : data.estimate
  const cards: Child[] = [
    test.rows > 0 &&
      card('test-accuracy', 'Test accuracy', percent(test.correct / test.rows), `${count(test.correct)} of ${counted(test.rows, 'row')} right; 95 % interval ${range(interval(test.correct, test.rows))}`, true),
    estimate && card('estimated-accuracy', 'Estimated accuracy', percent(estimate.accuracy), `on ${rowsJudged(data)}; 95 % interval ${range(estimate)}`, true),
    estimate && card('majority-share', `Always saying ${estimate.majority_class}`, percent(estimate.majority_share), 'the share of the largest class'),
    estimate && estimate.baseline_accuracy !== null && card('baseline-accuracy', 'Baseline', percent(estimate.baseline_accuracy), `logistic regression on ${same(data)}`),
    data.val_accuracy !== null &&
      card('val-accuracy', 'Validation accuracy', percent(data.val_accuracy), `validation, which chose the ${chosen(data)}; ${counted(val.rows, 'row')}${data.folds > 1 ? ` in ${data.folds} folds` : ''}`, test.rows === 0 && !estimate),
    part && part !== 'train' && card('macro-f1', 'Macro-F1', macroF1(data.parts[part]).toFixed(3), `mean over classes, ${partTitles[part].toLowerCase()} rows`),
    card('size', 'Rows', count(data.rows), `${featureWords(data)}, ${data.classes.length} classes`)
  ]
  const sentences = [learned(data), quality(data), shares(data), part && part !== 'train' ? mistakes(data, part) : '', certainty(rows, rows.count < data.rows), looksAt(data)]
  return section(
    'overview',
    data.dataset,
    '',
    h('div', { class: 'summary', id: 'summary' }, ...sentences.filter(Boolean).map((words) => h('p', {}, words as string))),
    h('div', { class: 'cards' }, ...cards)
  )
}

/** What the data were, what the reader noted, and every setting of the training. */

export function settingsSection(data: ReportData): HTMLElement {
  const facts: [string, string][] = [
    ['Data', data.dataset],
    ['Rows', `${count(data.rows)}: ${labelWords(data)}`],
    ['Input', `${featureWords(data)}${data.features.sparse ? ', sparse' : ''}`],
    ['Classes', data.classes.join(', ')],
    ['Program', `glgnn ${data.program.version} (${data.program.commit})`]
  ]
  const row = (setting: (typeof data.settings)[number]) => {
    const changed = setting.value !== setting.default
    return h(
      'tr',
      { class: changed ? 'changed' : '' },
      h('th', { scope: 'row' }, setting.name),
      h('td', {}, setting.value, changed && h('span', { class: 'was' }, ` default ${setting.default}`)),
      h('td', {}, setting.text)
    )
  }
  const head = ['Setting', 'Value', 'Meaning'].map((text) => h('th', { scope: 'col' }, text))
  return section(
    'settings',
    'Data and settings',
    '',
    h('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    data.notes.length > 0 && h('h3', {}, 'Notes of the reader'),
    data.notes.length > 0 && h('ul', { id: 'notes' }, ...data.notes.map((note) => h('li', {}, note))),
    h(
      'details',
      {},
      h('summary', {}, `All ${counted(data.settings.length, 'setting')} of mode ${data.mode}`),
      scrolled('Settings', h('table', { class: 'plain', id: 'settings-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...data.settings.map(row))))
    )
  )
}

/** Which rows to label next: those whose labels would clear up the most, as `glgnn suggest` says. */

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
    h(
      'span',
      {},
      'The rows whose labels would clear up the most: the model is in doubt about them, or about rows that are like them or linked to them. Each row adds something new; 1.00 is the most helpful row. For more of them: ',
      h('code', {}, 'glgnn suggest MODEL --top 50')
    ),
    scrolled('Rows to label next', h('table', { class: 'plain', id: 'suggestion-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...lines)))
  )
}
