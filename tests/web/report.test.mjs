// The report of a best-mode model: figures, the drawing, keys, dark, and a phone.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, glgnn, launch, open, overflows, picture, text } from './browser.mjs'

let browser, home, file, said, predictions
before(async () => {
  home = folder()
  said = glgnn(home, 'fit', 'wine')
  predictions = JSON.parse(glgnn(home, 'predict', 'wine.glgnn', '--json'))
  file = join(home, 'wine.html')
  browser = await launch()
})
after(() => browser?.close())
afterEach(() => Promise.all(browser.contexts().map((context) => context.close()))) // many open drawings are slow

test('shows the figures that fit printed', async () => {
  const page = await open(browser, file)
  const [, accuracy, right, rows] = said.match(/test accuracy ([\d.]+ %)\s+\((\d+) of (\d+)\)/)
  assert.equal(await text(page, '#test-accuracy .card-value'), accuracy)
  assert.match(await text(page, '#test-accuracy .card-note'), new RegExp(`^${right} of ${rows} rows right; 95 % interval`))
  assert.match(await text(page, '#val-accuracy .card-note'), /^validation, which chose the modules; 20 rows/)
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

test('the report is told in words', async () => {
  const page = await open(browser, file)
  const [, accuracy, right, rows] = said.match(/test accuracy ([\d.]+ %)\s+\((\d+) of (\d+)\)/)
  const words = await text(page, '#summary')
  assert.match(words, /learned from 30 labels of 178 rows \(10 to train, 20 to choose\)/)
  assert.match(words, new RegExp(`On the ${rows} test rows, whose labels it never saw, it is right on ${accuracy} \\(95 % interval [\\d.]+ to [\\d.]+ %\\)`))
  assert.match(words, /Always saying class_1, the largest class, would be right on 39\.\d %/)
  assert.match(words, new RegExp(`${rows - right} of the ${rows} test rows (is|are) wrong`))
  assert.match(words, /It looks most at \w+, [\s\S]+ links when joined/)
})

test('links are pairs of rows, counted the same way everywhere', async () => {
  const page = await open(browser, file)
  const edges = glgnn(home, 'graph', 'wine.glgnn', '--format', 'csv').trim().split('\n').slice(1).map((line) => line.split(','))
  const pairs = new Set(edges.filter(([a, b]) => a !== b).map(([a, b]) => (Number(a) < Number(b) ? `${a} ${b}` : `${b} ${a}`))).size.toLocaleString('en')
  assert.ok((await text(page, '#summary')).includes(`${pairs} links`))
  assert.ok((await text(page, '#edge-words')).includes(`of ${pairs} links`))
  assert.ok((await text(page, '#graph-status')).includes(`178 rows, ${pairs} links`))
  assert.ok(glgnn(home, 'info', 'wine.glgnn').includes(`learned graph      ${pairs} links between rows`))
})

test('the reasons of a row are those that explain tells', async () => {
  const page = await open(browser, file)
  for (const row of [17, 73, 140]) {
    const why = JSON.parse(glgnn(home, 'explain', 'wine.glgnn', '--row', String(row), '--json'))
    await page.locator('#row-search').fill(String(row))
    await page.keyboard.press('Enter')
    const lines = (id) => page.locator(`#${id} li`).evaluateAll((list) => list.map((line) => [line.querySelector('.bar-name').textContent, line.querySelector('.bar-value').textContent]))
    const short = (value) => String(Number(value.toPrecision(Math.abs(value) >= 100 ? 4 : 3)))
    const hundredths = (weight) => (Math.round(weight * 1000) / 1000).toFixed(2)
    assert.deepEqual(await lines('reason-features'), why.features.slice(0, 8).map((f) => [`${f.name} = ${short(f.value)}`, hundredths(f.weight)]))
    assert.deepEqual(await lines('reason-neighbours'), why.edges.slice(0, 8).map((e) => [`${e.id}graph ${e.module}`, hundredths(e.weight)]))
    const fall = Math.round(1000 * why.fidelity_plus) / 10
    assert.ok((await text(page, '#reason-more')).includes(fall > 0 ? `falls by ${fall.toFixed(1)} points` : 'does not fall'))
  }
})

test('right is said only where the label did not teach', async () => {
  const page = await open(browser, file)
  await page.selectOption('#color-picker', { label: 'right or wrong' })
  const taught = Number((await text(page, '#legend')).match(/no label to judge by\s*(\d+)/)[1])
  assert.equal(taught, 10)
  await page.locator('#legend button', { hasText: 'no label to judge by' }).click()
  await page.locator('#row-table tbody button').first().click()
  assert.match(await text(page, '.verdict'), /its label, class_\d, taught the model/)
})

test('certainty is held against the truth, by the numbers of predict', async () => {
  const page = await open(browser, file)
  await page.selectOption('#color-picker', { label: 'part of the data' })
  await page.locator('#legend button', { hasText: 'test' }).click()
  while (await page.locator('#table-more').isVisible()) await page.locator('#table-more').click()
  const rows = await page.locator('#row-table tbody tr').evaluateAll((list) => list.map((line) => [...line.cells].map((cell) => cell.innerText.trim())))
  assert.equal(rows.length, 148)
  const steps = Array.from({ length: 10 }, () => ({ rows: 0, right: 0, sure: 0 }))
  for (const [id, , , label] of rows) {
    const { probability, predicted } = predictions.rows[Number(id)]
    const step = steps[Math.min(9, Math.floor(10 * probability))]
    step.rows++
    step.right += label === predicted
    step.sure += probability
  }
  const percent = (part) => `${(100 * part).toFixed(1)} %`
  const expected = steps.flatMap((s, i) => (s.rows ? [[`${10 * i} to ${10 * i + 10} %`, String(s.rows), percent(s.right / s.rows), percent(s.sure / s.rows)]] : []))
  const shown = await page.locator('#calibration-table tbody tr').evaluateAll((list) => list.map((line) => [...line.cells].map((cell) => cell.innerText)))
  assert.deepEqual(shown, expected)
  assert.equal(await page.locator('#calibration-picture .mark').count(), expected.length)
  const error = steps.reduce((sum, s) => sum + Math.abs(s.sure - s.right), 0) / 148
  assert.ok((await text(page, '#calibration-words')).includes(`differ by ${(100 * error).toFixed(1)} points`))
  await page.selectOption('#class-part', { index: 2 })
  assert.match(await text(page, '#calibration'), /taught by their own labels, so they prove nothing/)
})

test('the table is sorted by any column, follows the legend, and is saved as CSV', async () => {
  const page = await open(browser, file)
  const column = (c) => page.locator(`#row-table tbody td:nth-child(${c})`).allInnerTexts()
  const head = (name) => page.locator('#row-table th', { hasText: name })
  await head('Certainty').locator('button').click()
  assert.equal(await head('Certainty').getAttribute('aria-sort'), 'ascending')
  const least = predictions.rows.map((row) => row.probability).sort((a, b) => a - b)
  ;(await column(3)).forEach((shown, i) => assert.ok(Math.abs(parseFloat(shown) - 100 * least[i]) < 0.051, `${shown} for ${least[i]}`))
  await head('Certainty').locator('button').click()
  assert.equal(await head('Certainty').getAttribute('aria-sort'), 'descending')
  assert.ok(Math.abs(parseFloat((await column(3))[0]) - 100 * least[177]) < 0.051)
  await page.selectOption('#color-picker', { label: 'prediction' })
  await page.locator('#legend button', { hasText: 'class_2' }).click()
  const of2 = predictions.rows.filter((row) => row.predicted === 'class_2')
  assert.match(await text(page, '#table-status'), new RegExp(`of ${of2.length} rows \\(prediction: class_2\\)`))
  await head('Row').locator('button').click()
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#table-csv')])
  assert.equal(saved.suggestedFilename(), 'wine_rows.csv')
  const lines = readFileSync(await saved.path(), 'utf8').trim().split('\r\n').map((line) => line.split(','))
  assert.deepEqual(lines[0].slice(0, 9), ['id', 'predicted', 'probability', 'label', 'held_back_as', 'part', 'p_class_0', 'p_class_1', 'p_class_2'])
  assert.equal(lines[0].length, 9 + 13)
  assert.deepEqual(lines.slice(1).map((line) => [line[0], line[1]]), of2.map((row) => [row.id, row.predicted]))
  of2.forEach((row, i) => assert.ok(Math.abs(Number(lines[i + 1][2]) - row.probability) < 1e-4))
  assert.deepEqual(page.troubles, [])
})

test('colours by certainty and by a column cut the rows into groups that hold them all', async () => {
  const page = await open(browser, file)
  const names = await page.locator('#color-picker option').allInnerTexts()
  assert.equal(names.filter((name) => name.startsWith('column ')).length, 13)
  for (const name of ['certainty', names.find((one) => one.startsWith('column '))]) {
    const was = await picture(page)
    await page.selectOption('#color-picker', { label: name })
    await page.waitForTimeout(200)
    assert.notEqual(await picture(page), was, name)
    const sizes = (await page.locator('#legend .chip-count').allInnerTexts()).map(Number)
    assert.ok(sizes.length > 1, name)
    assert.equal(sizes.reduce((a, b) => a + b, 0), 178, name)
  }
})

test('labels in the drawing do not cover each other', async () => {
  const page = await open(browser, file)
  await page.locator('#row-search').fill('73')
  await page.keyboard.press('Enter')
  await page.locator('.zoom button').last().click()
  await page.waitForTimeout(300)
  const boxes = JSON.parse(await page.getAttribute('#row-canvas', 'data-labels'))
  assert.ok(boxes.length > 1)
  boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => assert.ok(a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom)))
})

test('ticks are round numbers', async () => {
  const page = await open(browser, file)
  const ticks = await page.locator('#ranking .tick text').allTextContents()
  assert.ok(ticks.length >= 3)
  for (const tick of ticks) assert.match(tick, /^\d+ %$/)
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
  await page.locator('#row-canvas').click() // in the middle
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

test('which modules hear neighbours is said alike in words, of each module and by explain', async () => {
  const page = await open(browser, file)
  const circles = page.locator('#network-picture .module')
  const hearing = new Set()
  let weight = 0
  for (let m = 0; m < (await circles.count()); m++) {
    await circles.nth(m).focus()
    const about = await text(page, '#module-about')
    if (about.includes('which it does not hear')) continue
    hearing.add(m)
    weight += Number(about.match(/([\d.]+) % in the prediction/)[1])
  }
  assert.ok(hearing.size > 0 && hearing.size < (await circles.count()), 'a model of both kinds shows most')
  const [, part, graphs] = (await text(page, '#summary')).match(/in modules that make ([\d.]+) % of the prediction, at neighbours in (\d+) of the \d+ learned graphs/)
  assert.equal(Number(graphs), hearing.size)
  assert.ok(Math.abs(Number(part) - weight) < 0.1 * (await circles.count()), `${part} and ${weight}`)
  assert.match(await text(page, '#graph-status'), new RegExp(`Modules that hear neighbours make ${part} % of the prediction`))
  for (const row of [17, 73, 140]) {
    for (const edge of JSON.parse(glgnn(home, 'explain', 'wine.glgnn', '--row', String(row), '--json')).edges) assert.ok(hearing.has(edge.module), `module ${edge.module}`)
  }
})

test('modules: the ranking marks the chosen ones, the network tells their settings', async () => {
  const page = await open(browser, file)
  const tried = Number(said.match(/modules of (\d+)/)[1])
  const chosen = Number(said.match(/the best (\d+) modules/)[1])
  assert.equal(await page.locator('#ranking .dot').count(), tried)
  assert.equal(await page.locator('#ranking .dot.chosen').count(), chosen)
  assert.equal(await page.locator('#chosen tbody tr').count(), chosen)
  const module = page.locator('#network-picture .module[data-module="3"]')
  await module.locator('circle').hover()
  const about = await text(page, '#module-about')
  assert.match(about, /^Graph 4/)
  await page.locator('#network summary').click()
  const cells = await page.locator('#chosen tbody tr').nth(3).locator('td').allInnerTexts()
  assert.match(cells[2], /, .* and /) // three key features
  assert.match(cells[3], /^its \d+ most similar rows by (angle|Euclidean distance); (columns replaced by ranks|columns on one scale|numbers as they are|features reduced to \d+)/)
  for (const part of [cells[0], cells[1], cells[2].split(' and ')[0], cells[3], `graph ${cells[4].split(' and ')[0]}`]) {
    assert.ok(part.length > 1 && about.includes(part), `${part} in ${about}`)
  }
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
  for (const part of ['rows', 'table', 'classes', 'training', 'network', 'features', 'settings', 'row-search', 'graph-picker', 'edge-slider', 'row-canvas', 'theme']) {
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
