/** Colours that people with any colour vision tell apart, on light and on dark ground; from the ninth
 * class on they come again lighter, then darker, and the legend singles a class out. */
const hues = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee7733', '#009988']
const grey = '#9aa3af'

function mixed(color: string, other: number, part: number): string {
  const channel = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16)
    return Math.round(value + part * (other - value))
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`
}

export function classColor(index: number): string {
  if (index < 0) return grey
  const hue = hues[index % hues.length]
  const round = Math.floor(index / hues.length) % 3
  return round === 0 ? hue : round === 1 ? mixed(hue, 255, 0.45) : mixed(hue, 0, 0.4)
}

export const errorColors = { right: '#4477aa', wrong: '#ee7733', unknown: grey }
export const partColors = [grey, '#228833', '#ccbb44', '#4477aa']

/** From little to much: blue, green, yellow, orange; `step` of `steps`. */
export function scaleColor(step: number, steps: number): string {
  const scale = ['#4b56b0', '#3c7fc0', '#2fa3a8', '#5cb872', '#a9c34a', '#e8b93c', '#ee7733']
  return scale[Math.round((step / Math.max(1, steps - 1)) * (scale.length - 1))]
}

/** The colour as WebGL adds it: with `alpha`, and multiplied by it. */
export function seeThrough(color: string, alpha: number): string {
  const channel = (at: number) => Math.round(parseInt(color.slice(at, at + 2), 16) * alpha)
  return `rgba(${channel(1)},${channel(3)},${channel(5)},${alpha})`
}
