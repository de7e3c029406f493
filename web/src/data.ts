/** The report's data as `glgnn report` writes them (src/report/report_data.cpp), and their reading. */
import { short } from './dom'

export interface Part {
  rows: number
  correct: number
  actual: number[]
  predicted: number[]
  right: number[]
  matrix: number[] // by label and prediction; empty where there are too many classes
  /** Rows by how sure the prediction is, in ten steps from 0 to 1; null where that is not known. */
  calibration: { rows: number[]; right: number[]; sure: number[] } | null
}

export type PartName = 'test' | 'val' | 'train'

export interface GraphData {
  links: number // pairs of rows that are joined, in one direction or in both
  links_among_shown: number // of these, among the shown rows
  largest: number
  row_sizes: string
  column_bits: 16 | 32
  columns: string
  weights: string
}

export interface Module {
  weight: number
  note: string
  line: number | null // of the history
  compares: { views: string[]; k: number; metric: string; by_given_edges: boolean; hears_neighbours: boolean } | null
}

/** Whether its answer about a row takes anything from the row's neighbours. */
export const hears = ({ compares }: Module) => compares?.hears_neighbours ?? true

/** Whether it hears the rows that edges of the given graph join; new rows have none. */
export const hearsGiven = ({ compares }: Module) => compares?.by_given_edges ?? false

/** The part of the prediction that comes from modules that hear neighbours. */
export const heardPart = (data: ReportData, heard = hears) => data.modules.every(heard) ? 1 : data.modules.filter(heard).reduce((sum, module) => sum + module.weight, 0)

/** Accuracy on rows that no choice has seen, estimated; in the page where there is no test part. */
export interface Estimate {
  accuracy: number
  low: number
  high: number
  majority_share: number
  majority_class: string
  baseline_accuracy: number | null
  rows: number
}

/** Why a row is predicted as it is, as `glgnn explain` says; the most important first. */
export interface Reason {
  row: number // its place in the page
  features: [name: string, value: number | string, weight: number][]
  neighbours: [id: string, row: number, graph: number, weight: number][] // row -1: not in the page
  more: number // features and neighbours that are left out here
  without: number // how much the probability falls without all these
}

/** A row whose label would help, as `glgnn suggest` says; the best first. */
export interface Suggestion {
  id: string
  row: number // its number in the data
  score: number
  reason: string
}

export interface Setting {
  name: string
  value: string
  default: string
  text: string
}

export interface ReportData {
  program: { version: string; commit: string }
  dataset: string
  mode: 'paper' | 'best'
  rows: number
  folds: number // trainings that each held back other labels to validate
  has_graph: boolean // given with the data
  classes: string[]
  notes: string[]
  val_accuracy: number | null
  estimate?: Estimate | null
  class_shares?: Record<string, number> | null // among the rows without a label, where labels do not tell
  parts: Record<PartName, Part>
  history: {
    loss: number[]
    val_loss: number[]
    train_accuracy: number[]
    val_accuracy: number[]
    best_epoch: number
  }
  modules: Module[]
  network: number[]
  /** Weights by the columns of the table. */
  features: {
    names: string[]
    count: number // of the features that these columns became
    sparse: boolean
    overall: string
    modules: string[]
    /** The learned graph of the columns: a column, one that is heard beside it, and its share. */
    pairs: [column: string, other: string, share: number][]
  }
  settings: Setting[]
  suggestions?: Suggestion[]
  row_data: {
    shown: number
    numbers: string
    ids: string[] | null
    labels: string
    predicted: string
    held_back: string | null // in folds: what the fold says that held the row back, or -1
    parts: string
    probabilities: string
    places: { x: string; y: string }
    /** Columns that count most: numbers, or places in the texts. Numbers that float32 cannot tell apart are a list. */
    values: { column: number; texts: string[] | null; dates: boolean; values: string | (number | null)[] }[]
    graphs: GraphData[]
    reasons: Reason[]
  }
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text)
  const out = new Uint8Array(raw.length)
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i)
  return out.buffer
}

export const u8 = (text: string) => new Uint8Array(bytes(text))
export const u16 = (text: string) => new Uint16Array(bytes(text))
export const u32 = (text: string) => new Uint32Array(bytes(text))
export const i32 = (text: string) => new Int32Array(bytes(text))
export const f32 = (text: string) => new Float32Array(bytes(text))

/** What the rows have in a column of the table. */
export interface Column {
  name: string
  texts: string[] | null
  dates: boolean // the texts are dates, the earliest first, and "missing"
  values: Float64Array // NaN where it is missing; places in the texts where there are any
  areClose: boolean // only their last digits tell the numbers apart
}

/** As a person writes it. */
export const numberText = ({ areClose }: Column, value: number) => (areClose ? String(value) : short(value))
export const cellText = (column: Column, row: number) => {
  const value = column.values[row]
  return column.texts ? column.texts[value] : Number.isNaN(value) ? 'missing' : numberText(column, value)
}

/** The rows of the page, by their place in it. */
export interface Rows {
  count: number
  ids: string[]
  labels: Int32Array // -1: unknown
  predicted: Int32Array
  heldBack: Int32Array | null // in folds: what the fold says that held the row back, or -1
  /** The class that the label may be compared with, or -1: that of a row whose label taught it proves nothing. */
  judged: Int32Array
  parts: Uint8Array // of partNames
  x: Uint16Array
  y: Uint16Array
  sure: Float32Array // the largest probability
  probabilities(row: number): number[]
  columns: Column[] // those that count most
  reasons: Map<number, Reason>
}

const partCodes = { train: 1, val: 2, test: 3 }

export const partNames = (data: ReportData) =>
  data.folds > 1 ? ['no label', 'labelled', 'validation', 'test'] : ['no label used', 'training', 'validation', 'test']

export function readRows(data: ReportData): Rows {
  const from = data.row_data
  const classes = data.classes.length
  const shares = u16(from.probabilities)
  const probabilities = (row: number) => Array.from(shares.subarray(row * classes, (row + 1) * classes), (p) => p / 65535)
  const predicted = i32(from.predicted)
  const parts = u8(from.parts)
  const heldBack = from.held_back ? i32(from.held_back) : null
  return {
    count: from.shown,
    ids: from.ids ?? Array.from(i32(from.numbers), String),
    labels: i32(from.labels),
    predicted,
    heldBack,
    judged: predicted.map((said, row) => (parts[row] !== partCodes.train ? said : heldBack ? heldBack[row] : -1)),
    parts,
    x: u16(from.places.x),
    y: u16(from.places.y),
    sure: Float32Array.from({ length: from.shown }, (_, row) => Math.max(...probabilities(row))),
    probabilities,
    columns: from.values.map(({ column, texts, dates, values }) => ({
      name: data.features.names[column],
      texts,
      dates,
      values: Float64Array.from(typeof values === 'string' ? f32(values) : values.map((value) => value ?? NaN)),
      areClose: typeof values !== 'string'
    })),
    reasons: new Map(from.reasons.map((reason) => [reason.row, reason]))
  }
}

/** Whether a row is counted in this part, and what is compared with its label there. */
export function saidIn(data: ReportData, rows: Rows, part: PartName, row: number): number | null {
  if (part === 'val' && data.folds > 1) return rows.judged[row] >= 0 && rows.parts[row] === partCodes.train ? rows.judged[row] : null
  return rows.parts[row] === partCodes[part] ? rows.predicted[row] : null
}

/** A learned graph: of each row its neighbours and their weights. */
export interface Graph {
  first: Uint32Array // where the neighbours of each row begin
  columns: Uint16Array | Uint32Array
  weights: Float32Array
}

export function readGraph(from: GraphData): Graph {
  const sizes = u16(from.row_sizes)
  const first = new Uint32Array(sizes.length + 1)
  for (let i = 0; i < sizes.length; i++) first[i + 1] = first[i] + sizes[i]
  const roots = u16(from.weights)
  const weights = new Float32Array(roots.length)
  for (let e = 0; e < roots.length; e++) weights[e] = from.largest * (roots[e] / 65535) ** 2
  return { first, columns: from.column_bits === 16 ? u16(from.columns) : u32(from.columns), weights }
}

/** Neighbours of a row, the largest weight first. */
export function neighbours(graph: Graph, row: number): { row: number; weight: number }[] {
  const list = []
  for (let e = graph.first[row]; e < graph.first[row + 1]; e++) {
    list.push({ row: graph.columns[e], weight: graph.weights[e] })
  }
  return list.sort((a, b) => b.weight - a.weight)
}

/** Edges to draw, each pair of rows once with the larger of its two weights, the strongest first. */
export interface Edges {
  from: Uint32Array
  to: Uint32Array
  weights: Float32Array
}

/** Where row i points to j among the entries, or -1; columns ascend. */
function entry(graph: Graph, i: number, j: number): number {
  let low = graph.first[i]
  let high = graph.first[i + 1] - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const column = graph.columns[middle]
    if (column === j) return middle
    if (column < j) low = middle + 1
    else high = middle - 1
  }
  return -1
}

export function edgesOf(graph: Graph): Edges {
  const from: number[] = []
  const to: number[] = []
  const weights: number[] = []
  let largest = 0
  for (let i = 0; i + 1 < graph.first.length; i++) {
    for (let e = graph.first[i]; e < graph.first[i + 1]; e++) {
      const back = entry(graph, graph.columns[e], i)
      if (back >= 0 && graph.columns[e] < i) continue // seen from the other side
      const weight = Math.max(graph.weights[e], back >= 0 ? graph.weights[back] : 0)
      largest = Math.max(largest, weight)
      from.push(i)
      to.push(graph.columns[e])
      weights.push(weight)
    }
  }
  // Numbers alone are sorted natively: weight above, place below; a call for each comparison would block the page.
  const place = 2 ** 21
  const keys = Float64Array.from(weights, (w, e) => Math.floor((1 - w / (largest || 1)) * 2 ** 31) * place + e).sort()
  const order = Uint32Array.from(keys, (key) => key % place)
  return {
    from: Uint32Array.from(order, (e) => from[e]),
    to: Uint32Array.from(order, (e) => to[e]),
    weights: Float32Array.from(order, (e) => weights[e])
  }
}
