// A real Chromium, and reports of models that the real program fits.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { chromium } = createRequire(join(root, 'web/package.json'))('playwright-core')

const program = process.env.GLGNN_PROGRAM ?? join(root, 'build/glgnn')
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** A folder that is gone at the end of the process. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'glgnn-web-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Runs the program in `cwd`; gives back what it printed. */
export const glgnn = (cwd, ...words) => execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

export async function launch() {
  if (!existsSync(browserPath)) {
    throw new Error(`${browserPath}: no such browser; install it with \`tools/install-deps test\`, or name another one in CHROMIUM`)
  }
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
  })
}

/**
 * Opens a report from the disk. `page.troubles` lists errors of the console and of scripts, and every
 * request other than the file itself; `page.longestTask()` the milliseconds of the longest one.
 */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.troubles = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !isDriverNoise(message.text()) && page.troubles.push(message.text()))
  page.on('pageerror', (error) => page.troubles.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    if (url !== `file://${file}` && !url.startsWith('data:')) page.troubles.push(`request ${url}`)
  })
  await page.addInitScript(() => {
    window.longTasks = []
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask', buffered: true })
  })
  page.longestTask = () => page.evaluate(() => Math.max(0, ...window.longTasks))
  await page.goto(`file://${file}`)
  await page.waitForSelector('#row-canvas[data-ready=true]', { timeout: 60_000 })
  return page
}

// The software driver says that reading pixels back is slow.
const isDriverNoise = (text) => /GL Driver Message/.test(text)

export const text = (page, selector) => page.locator(selector).innerText()

/** Whether the page is wider than the window. */
export const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

/** The pixels of the drawing, to see that something changed. */
export const picture = async (page) => (await page.locator('.stage').screenshot()).toString('base64')
