/** Elements of the page, and numbers as it writes them. */

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
export function section(id: string, title: string, lead: string | Node, ...children: Child[]): HTMLElement {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title`, tabindex: -1 },
    h('h2', { id: `${id}-title` }, title),
    lead && h('p', { class: 'lead' }, lead),
    ...children
  )
}

/** What may be wider than the page: scrolled sideways, which is said where it is needed. */
export function scrolled(label: string, content: Element): HTMLElement {
  const box = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, content)
  const hint = h('p', { class: 'hint', hidden: true }, '↔ There is more at the side: scroll sideways.')
  const watch = new ResizeObserver(() => (hint.hidden = box.scrollWidth <= box.clientWidth))
  watch.observe(box)
  watch.observe(content)
  return h('div', {}, box, hint)
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

const whole = new Intl.NumberFormat('en')

/** 12345 as "12,345". */
export const count = (n: number) => whole.format(n)

/** "1 row", "20 rows". */
export const counted = (n: number, thing: string, things = `${thing}s`) => `${count(n)} ${n === 1 ? thing : things}`

/** 0.9865 as "98.6 %", as the program prints it. */
export const percent = (part: number) => `${(100 * part).toFixed(1)} %`

/** Three digits that count: 0.0123, 12.3, 1.23e-7. */
export function short(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(size >= 100 ? 4 : 3)))
}

/** "a", "a and b", "a, b and c". */
export const listed = (words: string[]) => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`)

/** Multiples of one, two or five times a power of ten that reach from `low` or below to `high` or above, about `wanted`. */
export function roundTicks(low: number, high: number, wanted: number): number[] {
  const rough = (high - low) / Math.max(1, wanted)
  if (!(rough > 0)) return [low]
  const ten = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough * 0.999)!
  const first = Math.floor(low / step + 1e-9)
  const last = Math.ceil(high / step - 1e-9)
  return Array.from({ length: last - first + 1 }, (_, t) => Number(((first + t) * step).toPrecision(12)))
}

/** Wilson's 95 % interval of a share: `right` of `rows`. */
export function interval(right: number, rows: number): { low: number; high: number } {
  const z = 1.96
  const p = right / rows
  const middle = (p + (z * z) / (2 * rows)) / (1 + (z * z) / rows)
  const half = (z * Math.sqrt((p * (1 - p)) / rows + (z * z) / (4 * rows * rows))) / (1 + (z * z) / rows)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** A field of a CSV file, in quotes where it needs them. */
export const csvField = (value: string | number) => (/[",\n\r]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : String(value))
