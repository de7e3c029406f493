// Pictures of a report: node tests/web/screenshots.mjs REPORT.html FOLDER [id of a row]
// The whole page, wide and on a phone, light and dark; and row.png: docs/report.png is that of wine.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { launch, open } from './browser.mjs'

const [report, out, row = '0'] = process.argv.slice(2)
if (!out) throw new Error('usage: node tests/web/screenshots.mjs REPORT.html FOLDER [id of a row]')
const file = resolve(report)
mkdirSync(out, { recursive: true })
const browser = await launch()

async function shoot(name, options, prepare = async () => {}, fullPage = true) {
  const page = await open(browser, file, options)
  await prepare(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(out, name), fullPage })
  await page.context().close()
}

const choose = async (page) => {
  await page.locator('#row-search').fill(row)
  await page.keyboard.press('Enter')
  await page.locator('.zoom button').last().click()
  await page.mouse.move(0, 0)
}
const goToGraph = async (page) => {
  await choose(page)
  await page.evaluate(() => document.getElementById('rows').scrollIntoView({ behavior: 'instant' }))
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1400, 400]) await shoot(`${colorScheme}_${width}.png`, { colorScheme, viewport: { width, height: 900 } }, choose)
}
await shoot('row.png', { colorScheme: 'light', viewport: { width: 1000, height: 800 } }, goToGraph, false)
await browser.close()
