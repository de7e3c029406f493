// Ten thousand rows and a hundred thousand edges: the page answers at once, and nothing blocks it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, glgnn, launch, open, text } from './browser.mjs'

const rows = 10_000
// In units of the time that sorting a million numbers takes in the same page, so that a slow or busy machine counts as one.
const longestAllowed = 15
const readyAllowed = 100
const sortMillion = () => {
  const begun = performance.now()
  Float64Array.from({ length: 1e6 }, Math.random).sort()
  return performance.now() - begun
}

/** A table of seven kinds of rows, and what `fit` said of it. */
function fitTable(home, name, size, k) {
  const lines = ['id,a,b,c,d,e,f,label']
  for (let i = 0; i < size; i++) {
    const kind = i % 7
    const values = Array.from({ length: 6 }, (_, f) => (3 * Math.cos(kind * (f + 1)) + Math.sin(i * 12.9898 * (f + 1))).toFixed(4))
    lines.push(`row${i},${values.join(',')},${i % 20 < 7 ? `kind${kind}` : ''}`)
  }
  writeFileSync(join(home, `${name}.csv`), lines.join('\n') + '\n')
  return glgnn(home, 'fit', `${name}.csv`, '--label', 'label', '--id', 'id', '--mode', 'paper', '--modules', '1', '--epochs', '1', '--k', k, '--hidden', '8', '--hops', '1')
}

let browser, home, file
before(async () => {
  home = folder()
  fitTable(home, 'large', rows, '14')
  file = join(home, 'large.html')
  browser = await launch()
})
after(() => browser?.close())

test('no task blocks the page for long', async (context) => {
  const begun = Date.now()
  const page = await open(browser, file)
  const ready = Date.now() - begun
  const edges = Number((await text(page, '#edge-words')).match(/of ([\d,]+) links/)[1].replaceAll(',', ''))
  assert.ok(edges >= 100_000, `${edges} edges are not many`)
  const built = await page.longestTask()
  await page.locator('#row-search').fill('row7777')
  await page.keyboard.press('Enter')
  assert.equal(await text(page, '#row-id'), 'Row row7777')
  await page.locator('#edge-slider').focus()
  await page.keyboard.press('End')
  await page.selectOption('#color-picker', { label: 'part of the data' })
  await page.keyboard.press('Escape')
  await page.waitForTimeout(500)
  const longest = await page.longestTask()
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime)
  context.diagnostic(`${rows} rows, ${edges} edges, ${(statSync(file).size / 1e6).toFixed(1)} MB: text after ${Math.round(painted)} ms, graph after ${ready} ms, longest task ${Math.round(built)} ms to build, ${Math.round(longest)} ms with use`)
  const unit = await page.evaluate(sortMillion)
  context.diagnostic(`a million numbers are sorted in ${Math.round(unit)} ms`)
  assert.ok(ready < readyAllowed * unit, `ready after ${ready} ms`)
  assert.ok(longest < longestAllowed * unit, `a task took ${longest} ms`)
  assert.deepEqual(page.troubles, [])
})

test('more rows than a page shows: a sample that says so', async (context) => {
  const said = fitTable(home, 'huge', 22_000, '3')
  assert.match(said, /wrote huge\.glgnn \(model\) and huge\.jsonl \(log\)/)
  glgnn(home, 'report', 'huge.glgnn')
  // A browser of its own: drawn without a graphics card, a second large page waits for the first.
  const own = await launch()
  context.after(() => own.close())
  const page = await open(own, join(home, 'huge.html'))
  assert.match(await text(page, '#graph-status'), /A sample: 20,000 of 22,000 rows, at equal distances/)
  assert.equal(await text(page, '#size .card-value'), '22,000')
  assert.deepEqual(page.troubles, [])
})
