/** Light and dark: as the system says, until the person switches. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners: (() => void)[] = []
let chosen: 'light' | 'dark' | null = null

export const isDark = () => (chosen ? chosen === 'dark' : dark.matches)

/** Calls back after every change of colours. */
export const onTheme = (listener: () => void) => void listeners.push(listener)

/** The value of a CSS variable, for what is not drawn by CSS. */
export const cssColor = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Whether the system asks that nothing moves. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches

function apply(button: HTMLButtonElement) {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  button.setAttribute('aria-pressed', String(isDark()))
  button.textContent = isDark() ? '☾ Dark' : '☀ Light'
  for (const listener of listeners) listener()
}

export function startTheme(button: HTMLButtonElement) {
  apply(button)
  dark.addEventListener('change', () => apply(button))
  button.addEventListener('click', () => {
    chosen = isDark() ? 'light' : 'dark'
    apply(button)
  })
}
