/** Finding a row by typing its id: a field with a list of matches, by mouse or by keys. */
import { h } from './dom'

const atMost = 8

/** Ids that begin with the text first, then those that hold it. */
export function matches(ids: string[], text: string): number[] {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return []
  const begin: number[] = []
  const hold: number[] = []
  for (let i = 0; i < ids.length && begin.length < atMost; i++) {
    const id = ids[i].toLowerCase()
    if (id === wanted) begin.unshift(i)
    else if (id.startsWith(wanted)) begin.push(i)
    else if (hold.length < atMost && id.includes(wanted)) hold.push(i)
  }
  const exact = ids.findIndex((id) => id.toLowerCase() === wanted)
  const first = exact >= 0 ? [exact] : []
  return [...new Set([...first, ...begin, ...hold])].slice(0, atMost)
}

export function rowSearch(ids: string[], pick: (row: number) => void) {
  let found: number[] = []
  let active = -1
  const list = h('ul', { id: 'row-matches', role: 'listbox', 'aria-label': 'Rows found', hidden: true })
  const input = h('input', {
    id: 'row-search',
    type: 'search',
    placeholder: 'id of a row  ( / )',
    autocomplete: 'off',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'row-matches',
    'aria-autocomplete': 'list'
  })
  const draw = () => {
    list.replaceChildren(
      ...found.map((row, i) =>
        h(
          'li',
          { role: 'option', id: `row-match-${i}`, 'aria-selected': String(i === active), mousedown: (event: Event) => (event.preventDefault(), choose(i)) },
          ids[row]
        )
      )
    )
    if (input.value.trim() && found.length === 0) list.append(h('li', { class: 'none' }, 'no such row'))
    list.hidden = list.childElementCount === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    if (active >= 0) input.setAttribute('aria-activedescendant', `row-match-${active}`)
    else input.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
  }
  const choose = (i: number) => {
    if (i < 0 || i >= found.length) return
    input.value = ids[found[i]]
    close()
    pick(found[i])
  }
  input.addEventListener('input', () => {
    found = matches(ids, input.value)
    active = found.length ? 0 : -1
    draw()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (found.length) active = (active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length
      draw()
    } else if (event.key === 'Enter') {
      choose(active)
    } else if (event.key === 'Escape' && !list.hidden) {
      event.stopPropagation()
      event.preventDefault()
      close()
    }
  })
  input.addEventListener('blur', close)
  return {
    input,
    field: h('label', { class: 'field search', for: 'row-search' }, h('span', {}, 'Find a row'), input, list)
  }
}
