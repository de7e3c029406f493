const whole = new Intl.NumberFormat('en')

/** 12345 as "12,345". */
export const count = (n: number) => whole.format(n)

/** "1 row", "20 rows". */
export const counted = (n: number, thing: string) => `${count(n)} ${thing}${n === 1 ? '' : 's'}`

/** 0.9865 as "98.6 %", as the program prints it. */
export const percent = (part: number) => `${(100 * part).toFixed(1)} %`

/** Three digits that count: 0.0123, 12.3, 1.23e-7. */
export function short(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e6) return value.toExponential(2)
  return String(Number(value.toPrecision(size >= 100 ? 4 : 3)))
}
