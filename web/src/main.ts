/** Reads the data in the page and builds the report: text first, then what has to be drawn. */
import './style.css'
import { readRows, type ReportData } from './data'
import { h } from './dom'
import { featureSection } from './features'
import { networkSection } from './network'
import { overview } from './overview'
import { classSection } from './quality'
import { rowSection } from './row_section'
import { rowTable } from './row_table'
import { settingsSection } from './settings'
import { startTheme } from './theme'
import { trainingSection } from './training'

function build(data: ReportData) {
  const known = readRows(data)
  const rows = rowSection(data, known, (filter) => table.show(filter && filter.words, filter && filter.holds))
  const table = rowTable(data, known, rows.showRow)
  const training = trainingSection(data)
  const sections = [
    overview(data, known),
    rows.element,
    table.element,
    classSection(data, rows.showPair),
    training.element,
    networkSection(data, (module) => rows.showGraph(module + 1)),
    featureSection(data),
    settingsSection(data)
  ]
  document.title = `${data.dataset} – GL-GNN report`
  document.getElementById('title')!.textContent = 'GL-GNN report'
  const names = ['Overview', 'Graph', 'Table', 'Classes', 'Training', 'Network', 'Features', 'Settings']
  document.getElementById('sections')!.append(...sections.map((section, i) => h('a', { href: `#${section.id}` }, names[i])))
  document.getElementById('main')!.replaceChildren(...sections)
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
