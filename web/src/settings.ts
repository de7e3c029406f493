/** What the data were, what the reader noted, and every setting of the training. */
import type { ReportData } from './data'
import { h, section } from './dom'
import { count, counted } from './format'
import { labelWords } from './overview'

export function settingsSection(data: ReportData): HTMLElement {
  const facts: [string, string][] = [
    ['Data', data.dataset],
    ['Rows', `${count(data.rows)}: ${labelWords(data)}`],
    ['Features', `${count(data.features.names.length)}${data.features.sparse ? ', sparse' : ''}`],
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
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Settings' }, h('table', { class: 'plain', id: 'settings-table' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...data.settings.map(row))))
    )
  )
}
