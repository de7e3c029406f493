/** Elements made of text and attributes: names from the data can never become markup. */
export type Child = Node | string | null | undefined | false

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>

function fill(element: Element, attributes: Attributes, children: Child[]) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value != null) element.setAttribute(name, String(value))
  }
  for (const child of children) if (child) element.append(child)
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  fill(element, attributes, children)
  return element
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  fill(element, attributes, children)
  return element
}

/** A section of the report with its heading, one line on what it shows, and its content. */
export function section(id: string, title: string, lead: string, ...children: Child[]): HTMLElement {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title`, tabindex: -1 },
    h('h2', { id: `${id}-title` }, title),
    lead && h('p', { class: 'lead' }, lead),
    ...children
  )
}

/** A labelled choice among options; `changed` gets the number of the chosen one. */
export function choice(id: string, label: string, options: string[], changed: (index: number) => void) {
  const select = h(
    'select',
    { id, change: () => changed(select.selectedIndex) },
    ...options.map((option, index) => h('option', { value: index }, option))
  )
  return { field: h('label', { class: 'field', for: id }, h('span', {}, label), select), select }
}
