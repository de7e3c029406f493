// The report of a table without a test part: folds hold every label back once. Contrast, and what is said of it.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname as folderOf, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folder, glgnn, launch, open, overflows, text } from './browser.mjs'

const orchard = fileURLToPath(new URL('../../data/examples/orchard.csv', import.meta.url))

let browser, file, labels
before(async () => {
  const home = folder()
  glgnn(home, 'fit', orchard, '--label', 'variety', '--id', 'tree', '--out', 'orchard.glgnn')
  labels = readFileSync(orchard, 'utf8').trim().split('\n').slice(1).filter((line) => !line.endsWith(',')).length
  file = join(home, 'orchard.html')
  browser = await launch()
})
after(() => browser?.close())
afterEach(() => Promise.all(browser.contexts().map((context) => context.close()))) // many open drawings are slow

/** The contrast (WCAG) of the text of each element with what is behind it. */
const contrasts = (page, selector) =>
  page.locator(selector).evaluateAll((list) => {
    const read = (color) => {
      const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number)
      return { rgb: [r, g, b], a }
    }
    const over = (top, below) => top.rgb.map((v, i) => v * top.a + below[i] * (1 - top.a))
    const ground = (element) => {
      if (!element) return [255, 255, 255]
      const color = read(getComputedStyle(element).backgroundColor)
      return color.a === 1 ? color.rgb : over(color, ground(element.parentElement))
    }
    const light = (rgb) => {
      const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    return list.map((element) => {
      const behind = ground(element)
      const [a, b] = [light(over(read(getComputedStyle(element).color), behind)), light(behind)]
      return { text: element.textContent, contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }
    })
  })

for (const colorScheme of ['light', 'dark']) {
  test(`numbers are readable (${colorScheme})`, async () => {
    const page = await open(browser, file, { colorScheme })
    const cells = await contrasts(page, '#confusion tbody td > *')
    assert.ok(cells.length >= 9)
    for (const { text: number, contrast } of cells) assert.ok(contrast >= 4.5, `${number} has a contrast of ${contrast.toFixed(2)}`)
    for (const selector of ['#summary p', '.card-note', '.hint', '#legend button', '.chip-count', '#row-table td', '#row-table th button', '.lead', '#class-table td']) {
      for (const { text: words, contrast } of await contrasts(page, selector)) assert.ok(contrast >= 4.5, `${selector}: ${words} has a contrast of ${contrast.toFixed(2)}`)
    }
    assert.deepEqual(page.troubles, [])
  })
}

test('where no module hears neighbours the page says that links decide nothing', async () => {
  const page = await open(browser, file)
  assert.match(await text(page, '#summary'), /and hears no neighbour: the \d+ learned graphs with [\d,]+ links when joined only show which rows are alike/)
  assert.match(await text(page, '#graph-status'), /No row hears another: links only show which rows are alike/)
  const row = JSON.parse(glgnn(folderOf(file), 'explain', 'orchard.glgnn', '--row', 'T003', '--json'))
  assert.deepEqual(row.edges, [])
})

test('where the edges of a given graph decide the page says so and names them', async () => {
  const home = folder()
  const count = 150
  const random = (seed) => ((seed * 2654435761) % 4294967296) / 4294967296
  const rows = Array.from({ length: count }, (_, i) => `n${i},${random(i + 1).toFixed(3)},${random(i + 999).toFixed(3)},${i % 5 < 2 ? ['red', 'blue', 'green'][i % 3] : ''}`)
  const edges = []
  for (let i = 0; i < count; i++) for (let e = 1; e <= 4; e++) edges.push(`n${i},n${(i + 3 * Math.floor(1 + 40 * random(7 * i + e))) % count}`) // of one class
  writeFileSync(join(home, 'team.csv'), ['id,a,b,team', ...rows, ''].join('\n'))
  writeFileSync(join(home, 'edges.csv'), ['from,to', ...edges, ''].join('\n'))
  const said = glgnn(home, 'fit', 'team.csv', '--label', 'team', '--id', 'id', '--graph', 'edges.csv', '--folds', '2', '--spread_heads', 'false', '--gnn_heads', 'false')
  assert.match(said, /expect less on rows that are not in this table: they have no given edges/)
  const page = await open(browser, join(home, 'team.html'))
  assert.match(await text(page, '#summary'), /On rows of this table without a label it is right on about .* Expect less on rows that are not in it/s)
  assert.match(await text(page, '#summary'), /t hears which classes the edges of the given graph join/)
  const why = JSON.parse(glgnn(home, 'explain', 'team.glgnn', '--row', 'n3', '--json'))
  assert.ok(why.edges.length > 0)
  for (const edge of why.edges) assert.ok(edges.includes(`n3,${edge.id}`) || edges.includes(`${edge.id},n3`), `${edge.id} is no given neighbour`)
  await page.locator('#row-search').fill('n3')
  await page.keyboard.press('Enter')
  assert.match(await text(page, '#reason-neighbours'), new RegExp(why.edges[0].id))
  assert.deepEqual(page.troubles, [])
})

test('a number of the confusion matrix shows its rows, as their folds judged them', async () => {
  const page = await open(browser, file)
  const cell = page.locator('#confusion tbody tr').nth(0).locator('td').nth(0).locator('button')
  const rows = await cell.innerText()
  await cell.click()
  assert.match(await text(page, '#graph-status'), /Showing validation rows of class (\w+) predicted as \1 alone/)
  assert.match(await text(page, '#table-status'), new RegExp(`of ${rows} rows \\(validation rows of class`))
  const wrong = page.locator('#confusion tbody td.wrong button').first()
  const mistaken = Number(await wrong.innerText())
  await wrong.click()
  assert.match(await text(page, '#table-status'), new RegExp(`of ${mistaken} rows? `))
  await page.locator('#row-table tbody button').first().click()
  assert.match(await text(page, '.verdict'), /✗ The fold that held its label back says \w+, but it is \w+\./)
})

test('in folds certainty is that of the fold that held a row back', async () => {
  const page = await open(browser, file)
  const rows = (await page.locator('#calibration-table tbody td:nth-child(2)').allInnerTexts()).map(Number)
  assert.equal(rows.reduce((a, b) => a + b, 0), labels)
  assert.equal(await page.locator('#calibration-picture .mark').count(), rows.length)
  const matrix = (await page.locator('#confusion tbody td.right').allInnerTexts()).map(Number)
  const right = matrix.reduce((a, b) => a + b, 0)
  assert.ok((await text(page, '#calibration-words')).includes(`${((100 * right) / labels).toFixed(1)} % right`))
})

test('labels of folds both teach and judge, and are said so', async () => {
  const page = await open(browser, file)
  assert.match(await text(page, '#summary'), new RegExp(`learned from ${labels} labels of 300 rows, each of them held back once in 5 folds and taught in the others`))
  assert.match(await text(page, '#val-accuracy .card-note'), /validation, which chose the modules/)
  assert.match(await text(page, '#settings .facts'), new RegExp(`${labels} labels, each of them held back once in 5 folds and taught in the others`))
  assert.match(await text(page, '#summary'), new RegExp(`Of the ${300 - labels} rows without a label, it is less than 60 % sure about \\d+`))
})

/** The rows of the CSV file that a page saves, by the names of its columns. */
async function saved(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#table-csv')])
  const [head, ...lines] = readFileSync(await download.path(), 'utf8').trim().split('\r\n').map((line) => line.split(','))
  return lines.map((line) => Object.fromEntries(line.map((field, f) => [head[f], field])))
}

test('a label that no fold held back is not said to be, on the page and in the CSV file', async () => {
  for (const row of await saved(await open(browser, file))) assert.equal(row.held_back_as !== '', row.label !== '', row.id)
  const home = folderOf(file)
  const printed = glgnn(home, 'fit', orchard, '--label', 'variety', '--id', 'tree', '--folds', '3', '--test-fraction', '0.2', '--out', 'three.glgnn')
  const [, taught, judged] = printed.match(/(\d+) labelled \((\d+) validate in turn\)/).map(Number)
  assert.ok(judged < taught)
  const page = await open(browser, join(home, 'three.html'))
  assert.match(await text(page, '#summary'), new RegExp(`learned from ${taught} labels of 300 rows, ${judged} of them held back once in 3 folds and taught in the others`))
  assert.match(await text(page, '#settings .facts'), new RegExp(`${taught} labels, ${judged} of them held back once in 3 folds and taught in the others, ${labels - taught} to test`))
  const held = (await saved(page)).filter((row) => row.held_back_as !== '')
  assert.equal(held.length, judged)
  for (const row of held) assert.deepEqual([row.part, row.label !== ''], ['labelled', true])
})

test('the training says by what folds choose, and shows every chosen module', async () => {
  const page = await open(browser, file)
  assert.match(await text(page, '#training .lead'), /by its accuracy on the rows that its fold held back[\s\S]*does not compare modules of two folds[\s\S]*how probable the modules made the labels/)
  const dots = await page.locator('#ranking .dot.chosen circle').evaluateAll((list) => list.map((dot) => ['cx', 'cy', 'r'].map((name) => Number(dot.getAttribute(name)))))
  assert.equal(dots.length, await page.locator('#network-picture .module').count())
  dots.forEach(([x, y, r], i) => dots.slice(0, i).forEach(([otherX, otherY, other]) => assert.ok(Math.hypot(x - otherX, y - otherY) >= r + other, `${x} and ${otherX}`)))
})

test('numbers of modules stand beside their circles', async () => {
  const page = await open(browser, file)
  const covered = await page.locator('#network-picture').evaluate((picture) => {
    const circles = [...picture.querySelectorAll('.module circle')].map((circle) => circle.getBoundingClientRect())
    const within = (box) => circles.some((c) => Math.hypot((c.left + c.right - box.left - box.right) / 2, (c.top + c.bottom - box.top - box.bottom) / 2) < c.width / 2 + 2)
    return [...picture.querySelectorAll('.module text')].filter((number) => within(number.getBoundingClientRect())).map((number) => number.textContent)
  })
  assert.deepEqual(covered, [])
})

test('the table of the graphs fits', async () => {
  const page = await open(browser, file)
  await page.locator('#network summary').click()
  assert.equal(await page.getByRole('region', { name: 'Graphs of the network' }).evaluate((box) => box.scrollWidth > box.clientWidth), false)
  assert.equal(await page.locator('#network .hint', { hasText: 'scroll sideways' }).isVisible(), false)
})

test('dates are coloured as what has an order', async () => {
  const page = await open(browser, file)
  await page.selectOption('#color-picker', { label: 'column planted' })
  const chips = (await page.locator('#legend button').allInnerTexts()).map((chip) => chip.replace(/\s+/g, ' ').match(/^(.*) (\d+)$/))
  assert.equal(chips.length, 7)
  assert.match(chips[0][1], /^before \d{4}-\d\d-\d\d$/)
  for (const [, name] of chips.slice(1, -1)) assert.match(name, /^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/)
  assert.match(chips.at(-1)[1], /^\d{4}-\d\d-\d\d and later$/)
  const rows = await saved(page)
  const first = chips[0][1].slice('before '.length)
  assert.equal(Number(chips[0][2]), rows.filter((row) => row.planted < first).length)
  assert.equal(chips.reduce((sum, [, , rows]) => sum + Number(rows), 0), 300)
})

test('columns and the features that they became are both counted', async () => {
  const page = await open(browser, file)
  const { features } = JSON.parse(glgnn(folderOf(file), 'info', 'orchard.glgnn', '--json'))
  const words = `9 columns (${features} features)`
  assert.ok((await text(page, '#summary')).includes(`apart by ${words}.`))
  assert.ok((await text(page, '#size')).includes(words))
  assert.ok((await text(page, '#settings .facts')).includes(words))
  assert.match(await text(page, '#feature-count'), /^9 of 9 columns;/)
})

test('a ring of focus covers no words', async () => {
  const page = await open(browser, file)
  for (const id of ['row-search', 'graph-picker']) {
    const free = await page.locator(`#${id}`).evaluate((field) => {
      field.focus()
      const style = getComputedStyle(field)
      const words = document.createRange()
      words.selectNodeContents(field.closest('label').querySelector('span'))
      return field.getBoundingClientRect().top - parseFloat(style.outlineWidth) - parseFloat(style.outlineOffset) - words.getBoundingClientRect().bottom
    })
    assert.ok(free >= 0, `${id}: ${free}`)
  }
})

const classesOf = async (path) => JSON.parse(readFileSync(path, 'utf8').match(/"classes":(\[[^\]]*\])/)[1])

/** The same page with other data in it. */
function changed(name, change) {
  const page = readFileSync(file, 'utf8')
  const begin = page.indexOf('>', page.indexOf('id="report-data"')) + 1
  const end = page.indexOf('</script>', begin)
  const data = JSON.parse(page.slice(begin, end))
  change(data)
  const path = file.replace('orchard.html', name)
  writeFileSync(path, page.slice(0, begin) + JSON.stringify(data).replaceAll('<', '\\u003c') + page.slice(end))
  return path
}

test('an estimate is the headline where there is one', async () => {
  const estimate = { accuracy: 0.812, low: 0.751, high: 0.864, majority_share: 0.431, majority_class: 'Gala', baseline_accuracy: 0.777, rows: labels }
  const page = await open(browser, changed('good.html', (data) => (data.estimate = estimate)))
  assert.equal(await text(page, '.card.main .card-value'), '81.2 %')
  assert.match(await text(page, '.card.main'), /Estimated accuracy[\s\S]*95 % interval 75\.1 to 86\.4 %/)
  assert.match(await text(page, '#majority-share'), /Always saying Gala\s+43\.1 %/)
  assert.match(await text(page, '#baseline-accuracy'), /77\.7 %\s+logistic regression on the same folds/)
  assert.equal(await page.locator('.card.main').count(), 1)
  assert.match(await text(page, '#summary'), /about 81\.2 % \(95 % interval 75\.1 to 86\.4 %\)[\s\S]*Always saying Gala, the largest class, would be right on 43\.1 %\. Logistic regression on the same folds is right on 77\.7 %/)
  const noise = await open(browser, changed('noise.html', (data) => (data.estimate = { ...estimate, accuracy: 0.43, low: 0.37, high: 0.5 })))
  assert.match(await text(noise, '#summary'), /That is no better than always saying Gala, which is right on 43\.1 %/)
  const doubt = await open(browser, changed('doubt.html', (data) => (data.estimate = { ...estimate, accuracy: 0.48, low: 0.4, high: 0.55 })))
  assert.match(await text(doubt, '#summary'), /That is perhaps no better than always saying Gala/)
})

test('mistakes are told as frequent as they are', async () => {
  const told = async (name, [right, ...wrong]) => {
    const matrix = [right, wrong[0], wrong[1], wrong[2], right, 0, 0, 0, right]
    const all = matrix.reduce((sum, one) => sum + one, 0)
    const page = await open(browser, changed(name, (data) => {
      data.classes.splice(3)
      Object.assign(data.parts.val, { matrix, rows: all, correct: 3 * right })
    }))
    return text(page, '#summary')
  }
  const [a, b, c] = (await classesOf(file)).slice(0, 3)
  assert.match(await told('one.html', [5, 0, 1, 0]), new RegExp(`1 of the 16 validation rows is wrong: ${a} taken for ${c}\\.`))
  assert.match(await told('each.html', [5, 1, 0, 1]), /2 of the 17 validation rows are wrong, each in another way\./)
  assert.match(await told('ties.html', [5, 2, 2, 1]), new RegExp(`wrong; among the most frequent mistakes is ${a} taken for ${b} \\(2 rows\\)`))
  assert.match(await told('most.html', [5, 2, 3, 1]), new RegExp(`wrong; the most frequent mistake is ${a} taken for ${c} \\(3 rows\\)`))
})

test('rows show the columns of the table as it has them, levels and all', async () => {
  const table = readFileSync(orchard, 'utf8').trim().split('\n').map((line) => line.split(','))
  const at = table[0].indexOf('irrigated')
  const page = await open(browser, file)
  await page.selectOption('#color-picker', { label: 'column irrigated' })
  const chips = await page.locator('#legend button').allInnerTexts()
  for (const level of new Set(table.slice(1).map((line) => line[at] || 'missing'))) assert.ok(chips.some((chip) => chip.startsWith(level)), `${level} in ${chips}`)
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#table-csv')])
  const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n').map((line) => line.split(','))
  const here = lines[0].indexOf('irrigated')
  const by = new Map(table.slice(1).map((line) => [line[table[0].indexOf('tree')], line[at] || 'missing']))
  for (const line of lines.slice(1)) assert.equal(line[here], by.get(line[0]))
})

test('the page lists what to label next, as suggest does', async () => {
  const listed = JSON.parse(glgnn(folderOf(file), 'suggest', 'orchard.glgnn', '--top', '10', '--json'))
  const page = await open(browser, file)
  assert.match(await text(page, '#suggestions .lead'), /in doubt about them, or about rows that are like them or linked to them\. Each row adds something new; 1\.00 is the most helpful row/)
  assert.equal(await page.locator('#suggestions code').evaluate((command) => command.getClientRects().length), 1)
  const lines = await page.locator('#suggestion-table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)))
  assert.deepEqual(lines, listed.map(({ id, score, reason }) => [id, score.toFixed(2), reason]))
  await page.locator('#suggestion-table button').first().click()
  assert.match(await text(page, '.panel'), new RegExp(listed[0].id))
  const full = await open(browser, changed('labelled.html', (data) => (data.suggestions = [])))
  assert.equal(await full.locator('#suggestions').count(), 0)
})

test('where reasons are left out, the panel says so', async () => {
  const page = await open(browser, changed('few.html', (data) => (data.row_data.reasons = data.row_data.reasons.filter(({ row }) => row > 0).slice(0, 99))))
  const first = await page.locator('#row-table tbody button').first().innerText()
  await page.locator('#row-table tbody button').first().click()
  assert.match(await text(page, '#no-reasons'), new RegExp(`those of 99 rows, the wrong and the least certain. \`glgnn explain MODEL --row ${first}\``))
  assert.equal(await page.locator('#row-features li').count(), 8)
})

for (const width of [400, 1400]) {
  test(`nothing is wider than ${width} pixels, and no text lies on another`, async () => {
    const page = await open(browser, file, { viewport: { width, height: 900 } })
    assert.equal(await overflows(page), false)
    const small = await page.locator('#ranking text').evaluateAll((list) => list.filter((one) => one.getBoundingClientRect().height < 12).map((one) => one.textContent))
    assert.deepEqual(small, [])
    const clashes = await page.locator('#network-picture, #ranking, #calibration-picture').evaluateAll((pictures) =>
      pictures.flatMap((picture) => {
        const texts = [...picture.querySelectorAll('text')].map((one) => ({ words: one.textContent, box: one.getBoundingClientRect() }))
        return texts.flatMap((a, i) => texts.slice(0, i).filter((b) => a.box.left < b.box.right && b.box.left < a.box.right && a.box.top < b.box.bottom && b.box.top < a.box.bottom).map((b) => `${a.words} on ${b.words}`))
      })
    )
    assert.deepEqual(clashes, [])
  })
}
