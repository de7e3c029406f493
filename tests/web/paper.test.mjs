// The report of a paper-mode model, written by `glgnn report`: curves over the epochs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, glgnn, launch, open, overflows, text } from './browser.mjs'

let browser, home, said, info
before(async () => {
  home = folder()
  said = glgnn(home, 'fit', 'wine', '--mode', 'paper', '--epochs', '30', '--no-report')
  glgnn(home, 'report', 'wine.glgnn', '-o', 'page.html')
  info = JSON.parse(glgnn(home, 'info', 'wine.glgnn', '--json'))
  browser = await launch()
})
after(() => browser?.close())

test('curves are drawn and told in words', async () => {
  const page = await open(browser, join(home, 'page.html'))
  for (const plot of ['#plot-loss', '#plot-accuracy']) {
    const inked = await page.locator(`${plot} canvas`).evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      let pixels = 0
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) pixels++
      return pixels
    })
    assert.ok(inked > 500, `${plot} has ${inked} pixels`)
  }
  assert.match(await page.getAttribute('#plot-loss', 'aria-label'), /over 30 epochs\. The dashed line is epoch \d+/)
  assert.match(await page.getAttribute('#plot-accuracy', 'aria-label'), new RegExp(`Validation accuracy ${said.match(/validation accuracy ([\d.]+ %)/)[1]} at epoch ${info.best_epoch}`))
  assert.equal(await text(page, '#test-accuracy .card-value'), said.match(/test accuracy ([\d.]+ %)/)[1])
  assert.deepEqual(page.troubles, [])
})

test('modules and settings are those of the model', async () => {
  const page = await open(browser, join(home, 'page.html'))
  assert.equal(await page.locator('#network-picture .module').count(), 3)
  const labels = await page.locator('#network-picture .module').evaluateAll((list) => list.map((one) => one.getAttribute('aria-label')))
  info.graph_weights.forEach((weight, m) => assert.equal(labels[m], `Graph ${m + 1}, weight ${(100 * weight).toFixed(1)} %`))
  await page.locator('#settings summary').click()
  const value = await page.locator('#settings-table tr', { hasText: 'epochs' }).first().locator('td').first().innerText()
  assert.match(value, /^30/)
})

test('curves shrink with the window', async () => {
  const page = await open(browser, join(home, 'page.html'), { viewport: { width: 390, height: 844 } })
  assert.equal(await overflows(page), false)
})

test('where no label judges, no figure of the training rows stands on top', async () => {
  writeFileSync(join(home, 'few.csv'), 'a,b,y\n1,2,u\n2,1,\n8,9,v\n9,7,\n3,2,\n')
  glgnn(home, 'fit', 'few.csv', '--label', 'y', '--mode', 'paper', '--epochs', '3', '--k', '2')
  const page = await open(browser, join(home, 'few.html'))
  assert.match(await text(page, '#summary'), /No label was held back, so nobody knows how good it is/)
  assert.equal(await page.locator('#macro-f1').count(), 0)
})

test('where nothing is held back in folds, no sentence speaks of folds, and long names leave room for the rest', async () => {
  const long = 'a name that goes on and on and on until nobody can read it any more, on a telephone least of all'
  writeFileSync(join(home, 'long.csv'), `a,b,y\n${Array.from({ length: 60 }, (_, i) => `${(i * 7) % 11 + 9 * (i % 2)},${(i * 5) % 13},"${i % 2 ? long : 'short'}"\n`).join('')}`)
  glgnn(home, 'fit', 'long.csv', '--label', 'y', '--mode', 'paper', '--epochs', '5', '--k', '3')
  const page = await open(browser, join(home, 'long.html'), { viewport: { width: 1400, height: 900 } })
  assert.match(await text(page, '#summary'), /Logistic regression on the same rows is right/)
  assert.match(await text(page, '#baseline-accuracy'), /logistic regression on the same rows/)
  assert.doesNotMatch(await text(page, '#module-about'), /Validation/)
  const fits = await page.locator('#row-table').evaluate((table) => table.scrollWidth <= table.closest('.scroll').clientWidth)
  assert.ok(fits)
})

test('numbers that lie close together keep their digits', async () => {
  const times = Array.from({ length: 30 }, (_, i) => String(1700000000 + ((i * 7) % 30) + (i % 2) / 4))
  writeFileSync(join(home, 'close.csv'), `time,b,y\n${times.map((time, i) => `${time},${i % 5},${i < 15 ? 'u' : 'v'}\n`).join('')}`)
  glgnn(home, 'fit', 'close.csv', '--label', 'y', '--mode', 'paper', '--epochs', '3', '--k', '3')
  const page = await open(browser, join(home, 'close.html'))
  await page.selectOption('#color-picker', { label: 'column time' })
  assert.match(await page.locator('#legend button').first().innerText(), /^below 17000000\d\d/)
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#table-csv')])
  const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n').map((line) => line.split(','))
  const shown = new Map(lines.slice(1).map((line) => [line[0], line[lines[0].indexOf('time')]]))
  assert.deepEqual(times.map((_, i) => shown.get(String(i))), times)
})
