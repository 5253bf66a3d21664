/** What agents import runs where it is said to run, and is as small as it is said to be. It is asked as it is built. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../src/live/index.ts'
import { browserPath, launch } from '../browser.ts'

const root = join(import.meta.dirname, '../..')
const runtimes = join(root, 'tools/runtimes/node_modules/.bin')
const folder = mkdtempSync(join(tmpdir(), 'ctxwin-live-'))

const agents = {
  one: `
    import { anthropic, bytes, choose, liveWindow } from 'ctxwin/live/core'
    import { dropOldest } from 'ctxwin/live/policies'
    const window = liveWindow({ policy: choose(dropOldest), estimator: choose(bytes), form: anthropic }, { budget: 200 })`,
  all: `
    import { live } from 'ctxwin/live'
    const window = live('drop-oldest', { api: 'anthropic', estimator: 'bytes', budget: 200 })`,
} as const

/** Two exchanges, of which the first does not fit. */
const conversation = `
    const long = 'word '.repeat(100)
    const say = (role, content) => ({ role, content })
    const history = [say('user', long), say('assistant', long), say('user', long)]
    const { messages, tokens } = window.next(history)
    const said = JSON.stringify({ sent: messages.length, same: messages[0] === history[2], tokens })`

const long = 'word '.repeat(100)
const { tokens } = live('drop-oldest', { api: 'anthropic', estimator: 'bytes', budget: 200 }).next([
  { role: 'user', content: long },
])
const expected = { sent: 1, same: true, tokens }

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/ctxwin'), 'junction')
  for (const [name, code] of Object.entries(agents)) {
    writeFileSync(join(folder, `${name}.mjs`), `${code}${conversation}\nconsole.log(said)\n`)
    writeFileSync(join(folder, `page-${name}.mjs`), `${code}${conversation}\ndocument.title = said\n`)
  }
})
let browser: Awaited<ReturnType<typeof launch>> | undefined
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

async function bundled(name: string): Promise<string> {
  const bundle = await rolldown({ input: join(folder, `${name}.mjs`), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'es', minify: true, codeSplitting: false })
  return output[0].code
}

describe.each(['one', 'all'] as const)('an agent with %s', (name) => {
  it('runs in Node', () => {
    expect(JSON.parse(execFileSync(process.execPath, [join(folder, `${name}.mjs`)], { encoding: 'utf8' }))).toEqual(
      expected,
    )
  })

  for (const [runtime, flags] of [
    ['bun', ['run']],
    ['deno', ['run', '--allow-read', '--no-remote', '--node-modules-dir=manual']],
  ] as const) {
    it.skipIf(!existsSync(join(runtimes, runtime)))(`runs in ${runtime}`, () => {
      const said = execFileSync(join(runtimes, runtime), [...flags, join(folder, `${name}.mjs`)], { encoding: 'utf8' })
      expect(JSON.parse(said)).toEqual(expected)
    })
  }

  it.skipIf(browserPath === null)('runs in a browser', async () => {
    browser ??= await launch()
    const page = await browser.newPage()
    await page.setContent(`<script type="module">${await bundled(`page-${name}`)}</script>`)
    await page.waitForFunction('document.title !== ""')
    expect(JSON.parse(await page.title())).toEqual(expected)
  })

  it('is no larger than the docs say', async () => {
    const compressed = brotliCompressSync(await bundled(name)).length
    expect(compressed).toBeLessThan(name === 'one' ? 31_500 : 102_000)
  })
})
