/**
 * The page of `report` in a real browser: its figures against the command line's, what it loads, keyboard, accessibility,
 * hostile transcripts, print, and how long a thousand sessions take. Pictures of it are left in test/screenshots/.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page as BrowserPage } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from '../src/model/page.ts'
import { probeDocument } from '../src/reports/html/document.ts'
import { dollars, percentWords } from '../src/reports/numbers.ts'
import { browserPath, launch } from './browser.ts'
import { runCli } from './cli/run.ts'
import { candidate, program } from './reports/html/sample-page.ts'
import { nasty, probeOf, read } from './reports/html/sample-probe.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-page-'))
const shots = resolve('test/screenshots')
const policies = ['ikigai', 'drop-oldest', 'as-recorded']
const budgets = [12_000, 16_000, 20_000]
/** One with ten exchanges, one that its agent compacted, one with a sub-agent. */
const sessions = ['refactor', 'compaction', 'sidechain'].map((name) => resolve(`fixtures/claude-code/${name}.jsonl`))
const grid = ['--policy', policies.join(), '--budget', budgets.join(), '--estimator', 'bytes']

let browser: Browser
/** One for all tests: a new one takes a process of its own, and half of the time of all of them. */
let page: BrowserPage
/** The address of what is shown. */
let shown = ''
/** What went wrong or out, of all files that were opened. */
const complaints: string[] = []

async function newPage(): Promise<void> {
  const context = await browser.newContext({ offline: true })
  page = await context.newPage()
  const complain = (what: string) => complaints.push(`${shown}: ${what}`)
  page.on('console', (message) => complain(message.text()))
  page.on('pageerror', (error) => complain(String(error)))
  page.on('dialog', (dialog) => complain(dialog.message()))
  page.on('request', (request) => {
    if (request.url() !== shown) complain(`asked for ${request.url()}`)
  })
}

/** Shows a file as it is at its beginning, whatever was done before. */
async function open(file: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ media: null, colorScheme: null })
  shown = pathToFileURL(join(cwd, file)).href
  await page.goto(shown)
}

async function report(name: string, ...words: string[]): Promise<void> {
  const { code, stderr } = await runCli(['report', ...words, '-o', name], { cwd })
  if (code !== 0) throw new Error(stderr)
}

/** The file with other data. */
function variant(from: string, to: string, change: (page: Page) => object): void {
  const html = readFileSync(join(cwd, from), 'utf8')
  const [head = '', data = '', tail = ''] = html.split(/(?<= id="data">)(.*?)(?=<\/script>)/s)
  const changed = JSON.stringify({ ...JSON.parse(data), ...change(JSON.parse(data)) }).replaceAll('<', '\\u003c')
  writeFileSync(join(cwd, to), head + changed + tail)
}

const thousandfold = ({ sessions }: Page) => ({
  sessions: Array.from({ length: 1000 }, (_, at) => ({
    ...sessions[at % 3],
    session: `s${at}`,
    title: `Session ${at}`,
  })),
})
/** What axe calls serious in a file, light and dark, on a wide and a narrow screen, which it has to fit. Leaves pictures. */
async function expectAccessible(file: string, shot: string): Promise<void> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  await open(file)
  await page.evaluate("for (const closed of document.querySelectorAll('details:not([open])')) closed.open = true")
  await page.evaluate(axe)
  // The dark scheme has other colours, and nothing else that axe looks at.
  const rules = { light: '', dark: "runOnly: ['color-contrast'], " }
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      // Nor have colours to do with the width.
      if (width === 390 && colorScheme === 'dark') continue
      await page.emulateMedia({ colorScheme })
      // What passes is not listed: that takes half of the time.
      const { violations } = (await page.evaluate(`axe.run({ ${rules[colorScheme]}resultTypes: ['violations'] })`)) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[]
      }
      const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
      // Written in half of the time of a PNG.
      await page.screenshot({ path: join(shots, `${shot}-${width}-${colorScheme}.jpg`), quality: 80, fullPage: true })
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
}

describe.skipIf(browserPath === null)('the page in a browser (skipped where none is installed)', () => {
  beforeAll(async () => {
    mkdirSync(shots, { recursive: true })
    await report('page.html', ...sessions, ...grid)
    browser = await launch()
    await newPage()
  })

  afterAll(async () => {
    await browser?.close()
    rmSync(cwd, { recursive: true })
  })

  it('shows at every place of the slider what simulate --output json says', async () => {
    await open('page.html')
    const { stdout } = await runCli(['simulate', ...sessions, ...grid, '--output', 'json'])
    const { totals } = JSON.parse(stdout)
    for (const [at, policy] of policies.entries()) {
      await page.selectOption('#policy', String(at))
      for (const [nth, budget] of budgets.entries()) {
        if (await page.locator('#budget').isDisabled()) continue
        await page.locator('#budget').fill(String(nth))
        const total = totals.find((one: Record<string, unknown>) => one.policy === policy && one.budget === budget)
        const { cost, today } = total
        expect(await page.textContent('#amount')).toBe(dollars(cost.input + cost.summaries))
        const rows = await page.locator('.exact tr').allTextContents()
        expect(rows).toContain(`cost.input${cost.input}`)
        expect(rows).toContain(`today.costSaved${today.costSaved}`)
        expect(rows).toContain(`sentTokens${total.sentTokens.toLocaleString('en-US')}`)
        expect(rows).toContain(`today.headlineLostOver${today.headlineLostOver}`)
      }
    }
  })

  it('shows of a session what its own run has', async () => {
    await open('page.html')
    await page.selectOption('#policy', '0')
    await page.locator('#budget').fill('1')
    const whole = await page.textContent('#amount')
    const { stdout } = await runCli(['simulate', sessions[0] as string, ...grid, '--output', 'json'])
    const [run] = JSON.parse(stdout).runs.filter(
      (one: Record<string, unknown>) => one.policy === 'ikigai' && one.budget === 16_000,
    )
    await page.locator('#list tbody tr', { hasText: 'Give me a short tour' }).first().getByRole('button').click()
    expect(await page.textContent('#scope')).toMatch(/^One session: /)
    expect(await page.textContent('#amount')).toBe(dollars(run.cost.input))
    await page.getByRole('button', { name: 'Back to all' }).click()
    expect(await page.textContent('#amount')).toBe(whole)
  })

  it('draws a session as it was and under the choice', async () => {
    await open('page.html')
    const described = () => page.locator('#session-picture svg desc').textContent()
    const [name] = await page.locator('#pictured option').allTextContents()
    expect(await page.locator('#pictured option').count()).toBe(3)
    expect(await page.locator('#session-picture svg > title').textContent()).toContain((name as string).slice(0, 20))
    await expect.poll(described).toContain('as-recorded')
    await page.locator('#then').check()
    await page.locator('#budget').fill('0')
    await expect.poll(described).toContain('ikigai at 12k')
    await page.locator('#budget').fill('2')
    await expect.poll(described).toContain('ikigai at 20k')
    expect(await page.locator('#messages').count()).toBe(0)
    await page.locator('#was').check()
    await expect.poll(described).toContain('as-recorded')
    await page.selectOption('#pictured', '2')
    expect(await page.textContent('#scope')).toMatch(/^One session: /)
  })

  it('draws every session, those without texts from their figures alone', async () => {
    variant('page.html', 'untold.html', () => ({ pictures: [] }))
    await open('untold.html')
    const described = () => page.locator('#session-picture svg desc').textContent()
    const data: Page = JSON.parse((await page.textContent('#data')) as string)
    for (const [at, { requests, series }] of data.sessions.entries()) {
      await page.selectOption('#pictured', String(at))
      await expect.poll(described).toContain(`as recorded, ${series.requests} request`)
      expect(series.requests).toBeLessThanOrEqual(requests)
      expect(await page.locator('#session-picture .recorded').count()).toBe(
        // One in the plot, and one in the legend.
        series.recorded.length === 0 ? 0 : series.recorded.length + 1,
      )
    }
    await page.selectOption('#pictured', '0')
    await page.locator('#then').check()
    await page.locator('#budget').fill('0')
    await expect.poll(described).toContain('ikigai at 12k')
    expect(await page.locator('#session-picture path.other').count()).toBe(2)
  })

  it('copies what can be pasted, and selects it where there is no clipboard', async () => {
    await open('page.html')
    const button = page.locator('.answer [data-copy]').first()
    const text = await button.getAttribute('data-copy')
    expect(await page.locator('.answer .copyable code').first().textContent()).toBe(text)
    await button.click()
    await expect
      .poll(async () => [await button.textContent(), await page.evaluate('String(getSelection())')])
      .toSatisfy(([label, selected]) => label === 'Copied' || selected === text)
  })

  it('can be used with the keyboard alone', async () => {
    await open('page.html')
    const focused = () => page.evaluate('document.activeElement.id')
    // What can be copied comes first, and the points of the chart are one stop among them.
    const before: string[] = []
    while ((await focused()) !== 'policy') {
      await page.keyboard.press('Tab')
      before.push((await page.evaluate('document.activeElement.outerHTML')) as string)
      expect(before.length).toBeLessThan(30)
    }
    const copies = await page.locator('.answer [data-copy]:visible').count()
    expect(before.filter((html) => html.includes('data-copy'))).toHaveLength(copies)
    expect(before.filter((html) => html.startsWith('<circle'))).toHaveLength(1)
    await page.keyboard.press('Home')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('budget')
    await page.keyboard.press('Home')
    const least = await page.textContent('#outcome')
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('#budget').getAttribute('aria-valuetext')).toBe('16k')
    expect(await page.textContent('#outcome')).not.toBe(least)
    await page.locator('#as-table summary').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const chosen = page.locator('#trade-table tr.chosen')
    expect(await chosen.count()).toBe(1)
    expect(await page.textContent('#spot')).toContain((await chosen.getByRole('button').textContent()) as string)
    await page.locator('#list [data-key="requests"]').focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('#list [aria-sort="descending"]').textContent()).toBe('requests')
    await page.keyboard.press('Enter')
    expect(await page.locator('#list [aria-sort="ascending"]').textContent()).toBe('requests')
  })

  it('chooses the point that is clicked', async () => {
    await open('page.html')
    await page.selectOption('#policy', '2')
    await page.locator('#trade circle.spot').first().click({ force: true })
    expect(await page.locator('#policy').inputValue()).toBe('0')
    expect(await page.locator('#budget').inputValue()).toBe('0')
  })

  it('tells what each setting of the chart costs and loses, from the keyboard, too', async () => {
    variant('page.html', 'charted.html', () => ({ programs: [program()] }))
    await open('charted.html')
    const told = () => page.textContent('#chart-words')
    expect(await told()).toMatch(/^Left is cheaper/)
    await page.locator('#chart circle[tabindex="0"]').focus()
    const first = await told()
    expect(first).toMatch(/: \$[\d.]+.*later use/)
    await page.keyboard.press('ArrowRight')
    expect(await told()).toMatch(/: \$[\d.]+.*later use/)
    expect(await told()).not.toBe(first)
    await page.locator('#chart .present').hover()
    expect(await told()).toMatch(/^What you have/)
  })

  it('puts no label of a chart on a point, on a wide and on a narrow screen', async () => {
    const near = (...points: readonly (readonly [budget: string, net: number, lost: number])[]) =>
      points.map(([budget, net, lost]) => candidate({ budget, net, lost }))
    variant('page.html', 'near.html', () => ({
      programs: [
        program({
          // The best one stands to the left of what there is, and a bold label just fits between them by its letters alone.
          ...{ paid: 538, uses: 1000, presentLost: 26, recordedLost: 3, best: 4 },
          points: [
            ...near(['100k', 312, 214], ['130k', 333, 132], ['160k', 372, 80], ['200k', 424, 55]),
            ...near(['300k', 500, 29], ['600k', 729, 0]),
          ],
        }),
      ],
    }))
    await open('near.html')
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.reload()
      const labels = await page.locator('#chart text.name').allTextContents()
      expect(labels).toEqual(expect.arrayContaining(['what you have', 'as it really went', '300k', '100k']))
      const covered = await page.evaluate(`(() => {
        const box = (one) => one.getBoundingClientRect()
        const points = [...document.querySelectorAll('#chart circle.spot, #chart rect.world')].map(box)
        return [...document.querySelectorAll('#chart text.name')].filter((label) => {
          const { left, right, top, bottom } = box(label)
          // Letters are lower than their line.
          return points.some((p) => p.left < right && left < p.right && p.top < bottom - 3 && top + 3 < p.bottom)
        }).map(({ textContent }) => textContent)
      })()`)
      expect(covered).toEqual([])
    }
  })

  it('has shares in the place of dollars for who has a plan', async () => {
    await report('plan.html', ...sessions, ...grid, '--plan')
    await open('plan.html')
    await page.evaluate("for (const closed of document.querySelectorAll('details:not([open])')) closed.open = true")
    const words = await page.locator('main').innerText()
    expect(words).toContain('weighted as API list prices weigh it')
    expect(words).not.toMatch(/\$\d|USD/)
    const shares = await page.locator('#list td.of-spent').allTextContents()
    const sum = shares.reduce((all, share) => all + Number.parseFloat(share), 0)
    expect(sum).toBeGreaterThan(99)
    expect(sum).toBeLessThan(101)
    const then = await page.textContent('#amount')
    await open('page.html')
    const rows = await page.locator('.exact tr').allTextContents()
    const exact = (key: string) => Number(rows.find((row) => row.startsWith(key))?.slice(key.length))
    const { stdout } = await runCli([...sessions, '--estimator', 'bytes', '--output', 'json'])
    const share = (100 * (exact('cost.input') + exact('cost.summaries'))) / JSON.parse(stdout).totals.spent.usd
    expect(then).toBe(percentWords(share))
  })

  it('has a slider only where there are several stops, and only stops that the program accepts', async () => {
    variant('page.html', 'stops.html', ({ policies }) => ({
      policies: policies.map((policy, at) => ({
        ...policy,
        accepted: at === 0 ? [false, true, true] : [false, true, false],
      })),
    }))
    await open('stops.html')
    await page.selectOption('#policy', '0')
    const words = async (stop: string) => {
      await page.locator('#budget').fill(stop)
      return await page.locator('#budget').getAttribute('aria-valuetext')
    }
    expect([await words('0'), await words('1')]).toEqual(['16k', '20k'])
    expect(await page.locator('#budget').getAttribute('max')).toBe('1')
    await page.selectOption('#policy', '1')
    expect(await page.locator('#budget').isVisible()).toBe(false)
    expect(await page.textContent('#budget-words')).toBe('16k')
    // Where the budget stays one that it is tried at, it stays.
    await page.selectOption('#policy', '2')
    await page.selectOption('#policy', '0')
    expect(await page.textContent('#budget-words')).toBe('16k')
  })

  it('has nothing that axe calls serious, light and dark, and fits, on a wide and a narrow screen', async () => {
    await expectAccessible('page.html', 'report')
  })

  it('has none on the page of probe either, with hostile words', async () => {
    const long = { calls: [{ name: nasty, input: { command: 'x'.repeat(900), [nasty]: [nasty] } }], text: nasty }
    const built = readFileSync('dist/probe.html', 'utf8')
    writeFileSync(
      join(cwd, 'probe.html'),
      [...probeDocument(built, probeOf(read('/a.ts'), long, read('/b.ts')))].join(''),
    )
    await expectAccessible('probe.html', 'probe')
    expect(await page.locator('article').count()).toBe(1)
  })

  it('draws no more while the slider moves where there are a thousand sessions than where there are three', async () => {
    const drawn = async (file: string) => {
      await open(file)
      await page.selectOption('#policy', '0')
      if (await page.locator('#more').isVisible()) await page.click('#more')
      await page.locator('#then').check()
      await page.waitForTimeout(300)
      return (await page.evaluate(`(async () => {
        let nodes = 0
        const watch = new MutationObserver((all) => {
          for (const { addedNodes, type } of all) nodes += type === 'childList' ? [...addedNodes].reduce((sum, node) => sum + 1 + (node.querySelectorAll ? node.querySelectorAll('*').length : 0), 0) : 1
        })
        watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
        const slider = document.getElementById('budget')
        slider.value = slider.value === '2' ? '1' : '2'
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        await new Promise(requestAnimationFrame)
        await Promise.resolve()
        return nodes
      })()`)) as number
    }
    variant('page.html', 'thousand.html', thousandfold)
    const [few, many] = [await drawn('page.html'), await drawn('thousand.html')]
    expect(few).toBeGreaterThan(20)
    expect(many).toBeLessThanOrEqual(few + 20)
    expect(many).toBeLessThan(2000)
  })

  it('takes no more than three megabytes with a thousand sessions, besides their texts, and prints on four sheets', async () => {
    variant('page.html', 'thousand.html', thousandfold)
    const html = readFileSync(join(cwd, 'thousand.html'))
    expect(html.length).toBeLessThan(3_000_000)
    await open('thousand.html')
    await page.locator('#session-picture svg').waitFor()
    const pdf = await page.pdf({ format: 'A4' })
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []
    expect(sheets.length).toBeGreaterThan(1)
    expect(sheets.length).toBeLessThanOrEqual(4)
  })

  // On a busy machine it is tried again.
  const patient = { retry: 3 }
  it('opens with a thousand sessions in less than two seconds, and answers the slider at once', patient, async () => {
    variant('page.html', 'thousand.html', thousandfold)
    await open('thousand.html')
    const drawn = (await page.evaluate('performance.now()')) as number
    expect(await page.locator('#list tbody tr').count()).toBe(12)
    expect(drawn).toBeLessThan(2000)
    const started = Date.now()
    await page.locator('#budget').fill('2')
    expect(await page.locator('#budget').getAttribute('aria-valuetext')).toBe('20k')
    expect(Date.now() - started).toBeLessThan(1000)
    await page.click('#more')
    expect(await page.locator('#list tbody tr').count()).toBe(1000)
    await page.fill('#filter', 'session 99')
    expect(await page.locator('#list tbody tr').count()).toBe(19)
  })

  it('shows hostile transcripts as text', async () => {
    const hostile = [
      '</script><script>alert("out")</script><!-- <script>',
      '<img src=x onerror=alert(1)> \u202emoc.live\u202c \u001b[31mred\u001b[0m \u0000',
      `<!--${'A'.repeat(1_000_000)}`,
    ]
    const turn = (content: string, at: number) => {
      const common = { sessionId: `s-${at}</script>`, cwd: `/tmp/<b>${at}`, version: '2.1.0', isSidechain: false }
      const timestamp = `2026-03-01T09:00:0${at}.000Z`
      const usage = { input_tokens: 2000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 9 }
      const call = {
        type: 'tool_use',
        id: `t${at}`,
        name: '<svg/onload=alert(2)>',
        input: { path: content.slice(0, 99) },
      }
      const said = { id: `m${at}`, type: 'message', role: 'assistant', model: 'claude-<i>x', content: [call], usage }
      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${at}`, content }] }
      const records = [
        { type: 'user', uuid: `u${at}`, parentUuid: null, message: { role: 'user', content } },
        { type: 'assistant', uuid: `a${at}`, parentUuid: `u${at}`, requestId: `r${at}`, message: said },
        { type: 'user', uuid: `b${at}`, parentUuid: `a${at}`, message: result },
        {
          type: 'assistant',
          uuid: `c${at}`,
          parentUuid: `b${at}`,
          requestId: `q${at}`,
          message: { ...said, id: `n${at}` },
        },
      ]
      return records.map((record) => `${JSON.stringify({ ...common, timestamp, ...record })}\n`).join('')
    }
    const files = hostile.map((content, at) => {
      const file = join(cwd, `hostile-${at}<b>.jsonl`)
      writeFileSync(file, turn(content, at))
      return file
    })
    await report(
      'hostile.html',
      ...files,
      '--policy',
      'ikigai',
      '--budget',
      '1k',
      '--estimator',
      'bytes',
      '--full-text',
    )
    expect(readFileSync(join(cwd, 'hostile.html')).length).toBeLessThan(200_000)
    await open('hostile.html')
    expect(await page.locator('#list tbody tr').count()).toBe(3)
    await page.locator('#messages > summary').click()
    // Written when the browser says that it is open, which is after the click.
    await page.locator('.messages li').first().waitFor()
    expect(await page.locator('.messages li').count()).toBe(4)
    const text = (await page.textContent('main')) as string
    expect(text).toContain('</script><script>alert("out")</script><!-- <script>')
    expect(text).toContain('\\u202emoc.live')
    expect(text).not.toContain('\u202e')
    expect(await page.locator('main img, main script, main b:not(.mark b, .answer b), main i').count()).toBe(0)
  })

  it('prints the dearest sessions, and none of the controls that paper does not have', async () => {
    await open('page.html')
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('#budget').isVisible()).toBe(false)
    expect(await page.locator('#filter').isVisible()).toBe(false)
    expect(await page.locator('.list').evaluate((list) => list.scrollHeight - list.clientHeight)).toBe(0)
    await page.pdf({ path: join(shots, 'report.pdf'), format: 'A4' })
  })

  it('says so where nothing has a price, no usage is recorded and nothing was found', async () => {
    variant('page.html', 'bare.html', () => ({ unit: 'input-token-equivalents', spending: null, bill: null }))
    variant('page.html', 'empty.html', () => ({ sessions: [], answer: [] }))
    await open('bare.html')
    expect(await page.textContent('main')).toContain('No usage is recorded')
    expect(await page.textContent('#amount')).toMatch(/^\d+ token equivalents$/)
    // In one line, as an amount of money.
    expect((await page.locator('#amount').boundingBox())?.height).toBeLessThan(80)
    await open('empty.html')
    expect(await page.textContent('h1')).toBe('No transcripts')
  })

  it('has complained of nothing and asked for nothing all the while', () => {
    expect(complaints).toEqual([])
  })
})
