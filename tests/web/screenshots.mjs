// Pictures of a report: node tests/web/screenshots.mjs REPORT.html FOLDER [id of a row]
// light.png, dark.png, phone.png and row.png; docs/report.png is row.png of wine.
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
  await page.evaluate(() => document.getElementById('rows').scrollIntoView({ behavior: 'instant' }))
  await page.mouse.move(0, 0)
}

await shoot('light.png', { colorScheme: 'light' })
await shoot('dark.png', { colorScheme: 'dark' })
await shoot('phone.png', { colorScheme: 'light', viewport: { width: 390, height: 844 } })
await shoot('row.png', { colorScheme: 'light', viewport: { width: 1000, height: 800 } }, choose, false)
await browser.close()
