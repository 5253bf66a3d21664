/**
 * The documentation site as it is built, in a browser that reaches nothing else. Skipped where VitePress is not installed
 * (npm ci --ignore-scripts --prefix tools/site). Pictures of it are left in test/screenshots/.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { topics } from '../../src/cli/inputs/topics.ts'
import { browserPath, launch } from '../browser.ts'
import { root } from '../docs.ts'

const isInstalled = existsSync(`${root}tools/site/node_modules/vitepress`)
const shots = `${root}test/screenshots`
const site = mkdtempSync(join(tmpdir(), 'ctxwin-site-'))
afterAll(() => rmSync(site, { recursive: true, maxRetries: 10, retryDelay: 500 }))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
const server = createServer(({ url = '/' }, response) => {
  const file = join(site, new URL(url, 'http://localhost').pathname.replace(/\/$/, '/index.html'))
  response.writeHead(existsSync(file) ? 200 : 404, {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
  })
  response.end(existsSync(file) ? readFileSync(file) : '')
})

describe.skipIf(!isInstalled)('the documentation site (skipped where VitePress is not installed)', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [`${root}tools/site/build.mjs`, site], { stdio: 'pipe' })
  }, 300_000)

  it('has every page, in the order to read them', () => {
    const [, sidebar] = /<nav[^>]* id="VPSidebarNav"(.*?)<\/nav>/s.exec(read('index.html')) as RegExpExecArray
    const links = [...(sidebar as string).matchAll(/href="\/([\w-]+)\.html"/g)].map(([, name]) => name)
    expect(links).toEqual(topics.map(({ name }) => name))
  })

  it('loads nothing from elsewhere, and has no dead link', () => {
    const dead: string[] = []
    for (const page of readdirSync(site).filter((name) => name.endsWith('.html') && name !== 'example.html')) {
      for (const [, tag, attributes = ''] of read(page).matchAll(/<(a|link|script|img|iframe)\b([^>]*)>/g)) {
        const [, target] = / (?:href|src)="([^"]*)"/.exec(attributes) ?? []
        if (target === undefined || target.startsWith('data:')) continue
        if (/^\w+:/.test(target)) {
          if (tag !== 'a') dead.push(`${page} loads ${target}`)
          continue
        }
        const [path = '', heading = ''] = decodeURI(target).split('#')
        const file = path === '' ? page : path === '/' ? 'index.html' : path.replace(/^\.?\//, '')
        if (!existsSync(join(site, file))) dead.push(`${page}: ${target}`)
        else if (heading !== '' && !read(file).includes(` id="${heading}"`)) dead.push(`${page}: ${target}`)
      }
    }
    expect(dead).toEqual([])
  })

  describe.skipIf(browserPath === null)('in a browser (skipped where none is installed)', () => {
    let browser: Browser
    let origin: string
    beforeAll(async () => {
      mkdirSync(shots, { recursive: true })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      browser = await launch()
    })
    afterAll(async () => {
      await browser?.close()
      await new Promise((done) => server.close(done))
    })

    it.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
    ] as const)('is %s, %i wide, shows a report and finds a word', async (colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.route('**', (route) => {
        const url = route.request().url()
        if (url.startsWith(origin)) return route.continue()
        complaints.push(`asked for ${url}`)
        return route.abort()
      })
      await page.goto(`${origin}/report.html`)
      const report = page.frameLocator('iframe.example').locator('body')
      expect(await report.innerText()).toMatch(/\$\d/)
      const backgrounds = await Promise.all(
        page.frames().map((frame) => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor')),
      )
      const areDark = backgrounds.map((color) => Number(/\d+/.exec(color)?.[0]) < 128)
      expect(areDark).toEqual([colorScheme === 'dark', colorScheme === 'dark'])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      await page.screenshot({ path: join(shots, `site-${width}-${colorScheme}.png`) })

      await page.click('#local-search button')
      await page.fill('#localsearch-input', 'watermarks')
      await page.click('.VPLocalSearchBox .result[href*="policies"]')
      await page.waitForURL(/policies\.html#two-watermarks$/)
      expect(complaints).toEqual([])
      await page.close()
    })
  })
})

function read(name: string): string {
  return readFileSync(join(site, name), 'utf8')
}
