/** The training: curves over epochs (paper mode), or the modules that were tried (best mode). */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { cssColor, onTheme } from './colors'
import type { ReportData } from './data'
import { counted, h, percent, roundTicks, scrolled, section, short, svg } from './dom'

const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] // there is no half epoch

interface Curve {
  name: string
  color: string // CSS variable
  values: number[]
  dash?: number[]
}

/** A figure with a sentence that says what the curves do. */
function curves(id: string, title: string, words: string, best: number, lines: Curve[], text: (v: number) => string) {
  const place = h('div', { class: 'plot', id, role: 'img', 'aria-label': `${title}. ${words}` })
  const markBest = (chart: uPlot) => {
    const x = chart.valToPos(best, 'x', true)
    chart.ctx.save()
    chart.ctx.strokeStyle = cssColor('--muted')
    chart.ctx.setLineDash([4, 4])
    chart.ctx.beginPath()
    chart.ctx.moveTo(x, chart.bbox.top)
    chart.ctx.lineTo(x, chart.bbox.top + chart.bbox.height)
    chart.ctx.stroke()
    chart.ctx.restore()
  }
  const axis: uPlot.Axis = { stroke: () => cssColor('--muted'), grid: { stroke: () => cssColor('--line'), width: 1 }, ticks: { show: false } }
  const start = () => {
    const chart = new uPlot(
      {
        width: place.clientWidth || 300,
        height: 240,
        scales: { x: { time: false } },
        axes: [{ ...axis, incrs: wholeSteps }, { ...axis, size: 60, values: (_, ticks) => ticks.map(text) }],
        series: [
          { label: 'epoch' },
          ...lines.map((line) => ({
            label: line.name,
            stroke: () => cssColor(line.color),
            width: 2,
            dash: line.dash,
            value: (_: uPlot, v: number | null) => (v == null ? '–' : text(v))
          }))
        ],
        hooks: { draw: [markBest] }
      },
      [lines[0].values.map((_, i) => i + 1), ...lines.map((line) => line.values)],
      place
    )
    onTheme(() => chart.redraw())
    new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: 240 })).observe(place)
  }
  return { figure: h('figure', {}, h('h3', {}, title), place, h('figcaption', {}, words)), start }
}

function epochs(data: ReportData) {
  const { loss, val_loss, train_accuracy, val_accuracy, best_epoch } = data.history
  const last = loss.length - 1
  const validated = data.val_accuracy !== null
  const kept = `The dashed line is epoch ${best_epoch}, which was kept.`
  const lossChart = curves('plot-loss', 'Loss', `From ${short(loss[0])} to ${short(loss[last])} over ${counted(loss.length, 'epoch')}. ${kept}`, best_epoch, [
    { name: 'training', color: '--a', values: loss },
    ...(validated ? [{ name: 'validation', color: '--b', values: val_loss, dash: [6, 3] }] : [])
  ], short)
  const accuracyWords = validated
    ? `Validation accuracy ${percent(data.val_accuracy!)} at epoch ${best_epoch}, ${percent(val_accuracy[last])} at the end. `
    : `Training accuracy ${percent(train_accuracy[last])} at the end. `
  const accuracyChart = curves('plot-accuracy', 'Accuracy', accuracyWords + kept, best_epoch, [
    { name: 'training', color: '--a', values: train_accuracy },
    ...(validated ? [{ name: 'validation', color: '--b', values: val_accuracy, dash: [6, 3] }] : [])
  ], (part) => `${short(100 * part)} %`)
  return {
    element: h('div', { class: 'two' }, lossChart.figure, accuracyChart.figure),
    start: () => (lossChart.start(), accuracyChart.start())
  }
}

/** Places from left to right; the chosen ones get room for a large dot, so that none covers another. */
function places(isChosen: boolean[], left: number, right: number) {
  const largest = 12
  const chosen = isChosen.filter(Boolean).length
  const even = (right - left) / isChosen.length
  const wide = Math.max(even, Math.min(largest, (0.6 * (right - left)) / chosen))
  const narrow = (right - left - wide * chosen) / (isChosen.length - chosen)
  let end = left
  const x = isChosen.map((large) => {
    const width = large ? wide : narrow
    end += width
    return end - width / 2
  })
  return { x, small: Math.max(1, Math.min(3.5, 0.45 * narrow)), large: Math.max(1.5, Math.min(largest, wide) / 2 - 0.5) }
}

/** Every tried module as a dot, the best first; those of the network stand out. */
function ranking(data: ReportData): HTMLElement {
  const lines = data.history.val_accuracy.length - 1 // the last is the network's
  const { val_accuracy, val_loss } = data.history
  const moduleOf = new Map(data.modules.map((module, m) => [module.line, m]))
  const order = Array.from({ length: lines }, (_, i) => i).sort((a, b) => val_accuracy[b] - val_accuracy[a] || val_loss[a] - val_loss[b])
  const ticks = roundTicks(Math.min(...val_accuracy, 0.98), 1, 4)
  const low = ticks[0]
  const [width, height, left, bottom] = [900, 260, 76, 34]
  const y = (accuracy: number) => 14 + ((1 - accuracy) / (1 - low || 1)) * (height - bottom - 14)
  const network = val_accuracy[lines]
  const known = data.modules.some((module) => module.line !== null)
  const words = `Validation accuracy of ${counted(lines, 'module')}, the best first: from ${percent(val_accuracy[order[0]])} to ${percent(val_accuracy[order[lines - 1]])}. The network of the chosen ones reaches ${percent(network)}.`
  const isChosen = order.map((line) => moduleOf.has(line))
  const { x, small, large } = places(isChosen, left, width - 12)
  const dots = order.map((line, rank) => {
    const m = moduleOf.get(line)
    const title = `rank ${rank + 1}: ${m === undefined ? `module tried as number ${line + 1}` : `graph ${m + 1}, ${data.modules[m].note}`}; validation ${percent(val_accuracy[line])}, loss ${short(val_loss[line])}`
    return svg(
      'g',
      { class: m === undefined ? 'dot' : 'dot chosen' },
      svg('line', { x1: x[rank], x2: x[rank], y1: y(low), y2: y(val_accuracy[line]) }),
      svg('circle', { cx: x[rank], cy: y(val_accuracy[line]), r: m === undefined ? small : large }, svg('title', {}, title))
    )
  })
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words, id: 'ranking', class: 'ranking' },
    ...ticks.map((tick) =>
      svg('g', { class: 'tick' }, svg('line', { x1: left, x2: width, y1: y(tick), y2: y(tick) }), svg('text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, `${short(100 * tick)} %`))
    ),
    svg('line', { class: 'goal', x1: left, x2: width, y1: y(network), y2: y(network) }),
    ...dots.filter((one) => !one.classList.contains('chosen')),
    ...dots.filter((one) => one.classList.contains('chosen')), // on top
    svg('text', { x: left, y: height - 8 }, 'modules by validation accuracy, the best first')
  )
  return h(
    'figure',
    {},
    scrolled('Modules by validation accuracy', picture),
    h('figcaption', {}, words, known ? ' Large dots were chosen; the dashed line is the network.' : ' This model file does not say which were chosen.')
  )
}

/** `start` draws what needs the page's width. */
export function trainingSection(data: ReportData): { element: HTMLElement; start: () => void } {
  if (data.mode === 'best') {
    const validated = data.val_accuracy !== null
    const lead = validated
      ? data.folds > 1
        ? 'Every module that was tried, by its accuracy on the rows that its fold held back. Each fold held back other rows, so this does not compare modules of two folds, and a chosen one may stand below others. All folds chose together, by how probable the modules made the labels that were held back.'
        : 'Every module that was tried, by its accuracy on the validation rows, whose labels chose the ones that are joined.'
      : `Without validation rows there is nothing to judge the ${counted(data.history.loss.length - 1, 'module')} by.`
    return { element: section('training', 'Training', lead, validated && ranking(data)), start: () => {} }
  }
  const { element, start } = epochs(data)
  return { element: section('training', 'Training', 'Loss and accuracy of every epoch.', element), start }
}
