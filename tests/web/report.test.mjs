// The report of a best-mode model: figures, the drawing, keys, dark, and a phone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { join } from 'node:path'
import { folder, glgnn, launch, open, overflows, picture, text } from './browser.mjs'

let browser, file, said, predictions
before(async () => {
  const home = folder()
  said = glgnn(home, 'fit', 'wine')
  predictions = JSON.parse(glgnn(home, 'predict', 'wine.glgnn', '--json'))
  file = join(home, 'wine.html')
  browser = await launch()
})
after(() => browser?.close())

test('shows the figures that fit printed', async () => {
  const page = await open(browser, file)
  const [, accuracy, right, rows] = said.match(/test accuracy ([\d.]+ %)\s+\((\d+) of (\d+)\)/)
  assert.equal(await text(page, '#test-accuracy .card-value'), accuracy)
  assert.equal(await text(page, '#test-accuracy .card-note'), `${right} of ${rows} rows right`)
  assert.equal(await text(page, '#val-accuracy .card-value'), said.match(/validation accuracy ([\d.]+ %)/)[1])
  assert.match(said, /wrote wine\.glgnn \(model\), wine\.jsonl \(log\) and wine\.html \(report\)/)
  const cells = await page.locator('#confusion tbody button').allInnerTexts()
  assert.equal(cells.reduce((sum, cell) => sum + Number(cell), 0), Number(rows))
  const feature = said.match(/key features\s+(\S+) ([\d.]+)/)
  assert.equal(await page.locator('#feature-list li .bar-name').first().innerText(), feature[1])
  assert.equal(await page.locator('#feature-list li .bar-value').first().innerText(), feature[2])
  assert.equal(await page.locator('#feature-list li').count(), 13)
  assert.deepEqual(page.troubles, [])
})

test('macro-F1 and scores of a class are those of the confusion matrix', async () => {
  const page = await open(browser, file)
  const matrix = await page.locator('#confusion tbody tr').evaluateAll((lines) =>
    lines.map((line) => [...line.querySelectorAll('td')].map((cell) => Number(cell.innerText) || 0)))
  const f1 = matrix.map((line, c) => {
    const actual = line.reduce((a, b) => a + b, 0)
    const predicted = matrix.reduce((sum, other) => sum + other[c], 0)
    return (2 * line[c]) / (actual + predicted)
  })
  const mean = f1.reduce((a, b) => a + b, 0) / f1.length
  assert.equal(await text(page, '#macro-f1 .card-value'), mean.toFixed(3))
  const shown = await page.locator('#class-table tbody tr td:last-child').allInnerTexts()
  assert.deepEqual(shown, f1.map((value) => value.toFixed(3)))
})

test('a row is found by typing, and shows its prediction and neighbours', async () => {
  const page = await open(browser, file)
  await page.keyboard.press('/')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'row-search')
  await page.keyboard.type('17')
  assert.equal(await page.locator('#row-matches li').first().innerText(), '17')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  assert.equal(await text(page, '#row-id'), 'Row 17')
  const expected = predictions.rows[17]
  assert.match(await text(page, '.verdict'), new RegExp(`Predicted ${expected.predicted}`))
  const first = page.locator('#row-probabilities li').first()
  assert.match(await first.innerText(), new RegExp(`${(100 * expected.probability).toFixed(1)} %`))
  const weights = (await page.locator('#row-neighbours .bar-value').allInnerTexts()).map(Number)
  assert.ok(weights.length > 0)
  assert.deepEqual(weights, [...weights].sort((a, b) => b - a))
  assert.equal(await page.locator('#row-features li').count(), 8)
  const neighbour = page.locator('#row-neighbours button').first()
  const id = (await neighbour.innerText()).trim()
  await neighbour.click()
  assert.equal(await text(page, '#row-id'), `Row ${id}`)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('#row-card').count(), 0)
  assert.deepEqual(page.troubles, [])
})

test('a click on the drawing chooses a row', async () => {
  const page = await open(browser, file)
  await page.locator('#row-search').fill('42')
  await page.keyboard.press('Enter')
  await page.waitForTimeout(300)
  await page.keyboard.press('Escape') // the row stays in the middle
  assert.equal(await page.locator('#row-card').count(), 0)
  const box = await page.locator('#row-canvas').boundingBox()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  assert.equal(await text(page, '#row-id'), 'Row 42')
  await page.click('#row-close')
  assert.equal(await page.locator('#row-card').count(), 0)
})

test('graph, colours, edges and legend change the drawing', async () => {
  const page = await open(browser, file)
  let last = await picture(page)
  const changed = async (what) => {
    await page.waitForTimeout(300)
    const now = await picture(page)
    assert.notEqual(now, last, what)
    last = now
  }
  const edges = await text(page, '#edge-words')
  await page.locator('#edge-slider').focus()
  await page.keyboard.press('Home')
  await changed('the slider')
  assert.notEqual(await text(page, '#edge-words'), edges)
  await page.keyboard.press('End')
  await changed('the slider back')
  await page.selectOption('#graph-picker', { index: 2 })
  await changed('the module')
  await page.selectOption('#color-picker', { label: 'right or wrong' })
  await changed('the colours')
  const wrong = predictions.rows.length - Number(said.match(/\((\d+) of/)[1]) // at most: test errors and more
  assert.ok(wrong > 0)
  await page.locator('#legend button', { hasText: 'right' }).first().click()
  await changed('the legend')
  await page.selectOption('#color-picker', { label: 'part of the data' })
  assert.match(await text(page, '#legend'), /training\s*10[\s\S]*validation\s*20[\s\S]*test\s*148/)
  await page.locator('#confusion tbody button').first().click()
  assert.match(await text(page, '#graph-status'), /Showing test rows of class class_0 predicted as class_0 alone/)
  assert.deepEqual(page.troubles, [])
})

test('modules: the ranking marks the chosen ones, the network tells their settings', async () => {
  const page = await open(browser, file)
  const tried = Number(said.match(/modules of (\d+)\)/)[1])
  const chosen = Number(said.match(/the best (\d+) modules/)[1])
  assert.equal(await page.locator('#ranking .dot').count(), tried)
  assert.equal(await page.locator('#ranking .dot.chosen').count(), chosen)
  assert.equal(await page.locator('#chosen tbody tr').count(), chosen)
  const module = page.locator('#network-picture .module[data-module="3"]')
  await module.locator('circle').hover()
  assert.match(await text(page, '#module-about'), /Graph 4/)
  const note = await page.locator('#chosen tbody tr').nth(3).locator('.note').innerText()
  assert.ok(note.length > 5 && (await text(page, '#module-about')).includes(note))
  await page.locator('#module-about button').click()
  assert.equal(await page.locator('#graph-picker').evaluate((select) => select.selectedIndex), 4)
})

test('features are searched and sorted', async () => {
  const page = await open(browser, file)
  await page.fill('#feature-search', 'alc')
  for (const name of await page.locator('#feature-list .bar-name').allInnerTexts()) assert.match(name, /alc/)
  await page.fill('#feature-search', '')
  await page.selectOption('#feature-order', { index: 1 })
  const names = await page.locator('#feature-list .bar-name').allInnerTexts()
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)))
  await page.selectOption('#feature-of', { index: 1 })
  assert.equal(await page.locator('#feature-list li').count(), 13)
})

test('dark follows the system and the switch', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await open(browser, file, { colorScheme: 'light' })
  const dark = await open(browser, file, { colorScheme: 'dark' })
  const [was, is] = [await ground(light), await ground(dark)]
  assert.notEqual(was, is)
  const before = await picture(light)
  await light.click('#theme')
  assert.equal(await ground(light), is)
  assert.equal(await light.getAttribute('#theme', 'aria-pressed'), 'true')
  assert.notEqual(await picture(light), before)
  assert.deepEqual(light.troubles, [])
})

test('the keyboard reaches every part, and the focus is seen', async () => {
  const page = await open(browser, file)
  const seen = new Set()
  for (let press = 0; press < 120; press++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const element = document.activeElement
      const style = getComputedStyle(element)
      const circle = element.querySelector?.('circle')
      const marked = style.outlineStyle !== 'none' || (circle && getComputedStyle(circle).stroke !== getComputedStyle(document.querySelector('.fused')).stroke)
      return { section: element.closest('section, header')?.id || 'top', id: element.id, marked, isBody: element === document.body }
    })
    if (at.isBody) break
    assert.ok(at.marked, `the focus on ${JSON.stringify(at)} is not seen`)
    seen.add(at.section)
    seen.add(at.id)
  }
  for (const part of ['rows', 'classes', 'training', 'network', 'features', 'settings', 'row-search', 'graph-picker', 'edge-slider', 'row-canvas', 'theme']) {
    assert.ok(seen.has(part), `Tab never reached ${part}`)
  }
  const before = await picture(page)
  await page.locator('#row-canvas').focus()
  await page.keyboard.press('+')
  await page.keyboard.press('ArrowLeft')
  await page.waitForTimeout(300)
  assert.notEqual(await picture(page), before)
})

test('a phone shows everything without scrolling sideways', async () => {
  const page = await open(browser, file, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  assert.equal(await overflows(page), false)
  await page.locator('#row-search').fill('3')
  await page.locator('#row-matches li').first().tap()
  assert.equal(await text(page, '#row-id'), 'Row 3')
  assert.equal(await overflows(page), false)
})
