// Names that would break a careless page: markup, quotes, line separators, other scripts, long words.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, glgnn, launch, open, overflows, text } from './browser.mjs'

const bad = `</script><b>"'&`
const long = 'w'.repeat(300)
const classes = [`${bad}A`, `<!--<script>\u2028B`, `${long}C`]
const features = [`${bad}x`, `<img src=x onerror="document.title='broken'">`, `${long}y`, '名前 𝒳']
const rows = 45
const quoted = (name) => `"${name.replaceAll('"', '""')}"`

let browser, file
before(async () => {
  const home = folder()
  const lines = [['id', ...features, 'label'].map(quoted).join(',')]
  for (let i = 0; i < rows; i++) {
    const values = features.map((_, f) => ((i % 3) * (f + 1) + Math.sin(i * (f + 2)) / 2).toFixed(4))
    lines.push([quoted(`${bad}${i}`), ...values, quoted(classes[i % 3])].join(','))
  }
  writeFileSync(join(home, 'hostile.csv'), lines.join('\n') + '\n')
  glgnn(home, 'fit', 'hostile.csv', '--label', 'label', '--id', 'id', '--mode', 'paper', '--epochs', '5', '--k', '5', '--test-fraction', '0.3')
  file = join(home, 'hostile.html')
  browser = await launch()
})
after(() => browser?.close())

test('every name is text, as it is in the data', async () => {
  const page = await open(browser, file)
  const cells = await page.locator('#class-table tbody th').evaluateAll((list) => list.map((cell) => cell.textContent))
  assert.deepEqual([...cells].sort(), [...classes].sort())
  const names = await page.locator('#feature-list .bar-name').evaluateAll((list) => list.map((cell) => cell.textContent))
  assert.deepEqual([...names].sort(), [...features].sort())
  await page.locator('#row-search').fill(`${bad}7`)
  await page.keyboard.press('Enter')
  assert.equal(await text(page, '#row-id'), `Row ${bad}7`)
  assert.equal(await page.locator('main b, main img, main script').count(), 0)
  assert.equal(await page.title(), 'hostile – GL-GNN report')
  assert.deepEqual(page.troubles, [])
})

test('long names stay inside a phone', async () => {
  const page = await open(browser, file, { viewport: { width: 390, height: 844 } })
  assert.equal(await overflows(page), false)
  await page.locator('#row-search').fill('7')
  await page.keyboard.press('Enter')
  assert.equal(await overflows(page), false)
})

test('the matrix of twelve classes fits, or says that it goes on; counts stay whole beside long names', async () => {
  const home = folder()
  const names = Array.from({ length: 12 }, (_, c) => `class ${c} ${'with a name that goes on '.repeat(3)}`.trim())
  const lines = Array.from({ length: 240 }, (_, i) => `${i % 12},${(i * 7) % 12},${Math.sin(i)},${names[i % 12]}`)
  writeFileSync(join(home, 'twelve.csv'), ['a,b,c,label', ...lines].join('\n') + '\n')
  glgnn(home, 'fit', 'twelve.csv', '--label', 'label', '--mode', 'paper', '--epochs', '2', '--k', '3')
  for (const [width, goesOn] of [[1400, false], [400, true]]) {
    const page = await open(browser, join(home, 'twelve.html'), { viewport: { width, height: 900 } })
    const box = page.getByRole('region', { name: 'Confusion matrix' })
    assert.equal(await box.evaluate((one) => one.scrollWidth > one.clientWidth), goesOn)
    assert.equal(await page.locator('#classes .hint', { hasText: 'scroll sideways' }).last().isVisible(), goesOn)
    for (const lines of await page.locator('.chip-count').evaluateAll((list) => list.map((one) => one.getClientRects()[0].height))) assert.ok(lines < 25, `a count ${lines} pixels high`)
    assert.equal(await overflows(page), false)
  }
})
