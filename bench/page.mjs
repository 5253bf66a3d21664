/**
 * How large the page of `report` is, and how long it takes to open and to follow its slider: the processor time of the browser's
 * main thread, which does not depend on what else the machine does. 60 frames a second leave 16.7 ms for each step.
 *
 *     node bench/page.mjs report.html
 *
 * A page of a thousand sessions:
 *
 *     mkdir sessions
 *     node -e "import('./bench/generate.mjs').then(({ generate }) => { for (let seed = 1; seed <= 1000; seed++)
 *       generate('sessions/' + seed + '.jsonl', { bytes: 3e5, seed }) })"
 *     node bin/ctxwin.js report sessions -o report.html
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const [file = 'report.html'] = process.argv.slice(2)
const executablePath = process.env.CHROME_PATH ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true })
const page = await context.newPage()
const session = await context.newCDPSession(page)
await session.send('Performance.enable', { timeDomain: 'threadTicks' })
/** Milliseconds that the main thread has worked so far. */
const worked = async () => {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value
}

await page.goto(pathToFileURL(resolve(file)).href)
await page.waitForTimeout(1000)
const sessions = await page.evaluate(`JSON.parse(document.getElementById('data').textContent).sessions.length`)
console.log(`size: ${(statSync(file).size / 1e6).toFixed(1)} MB with ${sessions} sessions`)
console.log(`opening: ${(await worked()).toFixed(0)} ms`)

/** @param before what is done before the slider is moved */
async function slide(name, before) {
  await page.evaluate(before)
  await page.waitForTimeout(500)
  const steps = 120
  const started = await worked()
  await page.evaluate(`(async () => {
    const slider = document.getElementById('budget')
    for (let step = 0; step < ${steps}; step++) {
      slider.value = String(step % (Number(slider.max) + 1))
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
    }
  })()`)
  console.log(`${name}: ${(((await worked()) - started) / steps).toFixed(1)} ms a step`)
}

await slide('slider', `document.getElementById('what-if').scrollIntoView()`)
await slide('slider, with the table of all points', `document.getElementById('as-table').open = true`)
await slide('slider, with all sessions in the list', `document.getElementById('more').click()`)
await slide(
  'slider, with a session under the choice',
  `document.getElementById('then').click(); document.getElementById('picture').scrollIntoView()`,
)
await browser.close()
