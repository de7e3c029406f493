/** Reads the data in the page and builds the report: text first, then what has to be drawn. */
import './style.css'
import { startTheme } from './colors'
import { readRows, type ReportData } from './data'
import { h } from './dom'
import { featureSection } from './features'
import { networkSection } from './network'
import { overview, settingsSection, suggestionSection } from './overview'
import { classSection } from './quality'
import { rowSection } from './row_section'
import { rowTable } from './row_table'
import { trainingSection } from './training'

function build(data: ReportData) {
  const known = readRows(data)
  const rows = rowSection(data, known, (filter) => table.show(filter && filter.words, filter && filter.holds))
  const table = rowTable(data, known, rows.showRow)
  const training = trainingSection(data)
  const sections: [name: string, element: HTMLElement | null][] = [
    ['Overview', overview(data, known)],
    ['Graph', rows.element],
    ['Table', table.element],
    ['Label next', suggestionSection(data, rows.showRow)],
    ['Classes', classSection(data, rows.showPair)],
    ['Training', training.element],
    ['Network', networkSection(data, (module) => rows.showGraph(module + 1))],
    ['Features', featureSection(data)],
    ['Settings', settingsSection(data)]
  ]
  document.title = `${data.dataset} – GL-GNN report`
  document.getElementById('title')!.textContent = 'GL-GNN report'
  const shown = sections.filter((section): section is [string, HTMLElement] => section[1] !== null)
  document.getElementById('sections')!.append(...shown.map(([name, { id }]) => h('a', { href: `#${id}` }, name)))
  document.getElementById('main')!.replaceChildren(...shown.map(([, element]) => element))
  document.getElementById('foot')!.textContent = `glgnn ${data.program.version} (${data.program.commit}). This file is whole: it needs no network.`
  return { rows, training }
}

function start() {
  startTheme(document.getElementById('theme') as HTMLButtonElement)
  const text = document.getElementById('report-data')!.textContent!
  let data: ReportData
  try {
    data = JSON.parse(text)
  } catch {
    document.getElementById('main')!.replaceChildren(h('p', {}, 'This page holds no report; `glgnn report MODEL` writes one.'))
    return
  }
  const { rows, training } = build(data)
  // The text is readable before anything is drawn.
  requestAnimationFrame(() =>
    setTimeout(() => {
      training.start()
      rows.start().catch((error) => {
        document.getElementById('graph-status')!.textContent = `The graph cannot be drawn here (${error.message}); is WebGL switched off?`
      })
    })
  )
}

start()
