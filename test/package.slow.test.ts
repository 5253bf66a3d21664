/** The package as a user gets it: packed, installed elsewhere, run, imported. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
let place = ''
/** The package as npm lists it. */
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string }[] }
/** What npm says while it installs it. */
let said = ''

function run(program: string, args: readonly string[], cwd = place): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Runs the installed program as npx would. */
const ctxwin = (...argv: string[]) => run(join(place, 'node_modules/.bin/ctxwin'), argv)

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-package-'))
  ;[packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], root))
  writeFileSync(join(place, 'package.json'), '{"name":"elsewhere","private":true,"type":"module"}')
  const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', join(place, packed.filename)]
  said = spawnSync('npm', words, { cwd: place, encoding: 'utf8' }).stderr
}, 180_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

describe('the package, installed elsewhere', () => {
  it('runs', () => {
    const transcript = join(root, 'fixtures/openai-chat/tools.jsonl')
    const { runs } = JSON.parse(ctxwin('simulate', transcript, '--budget', '100', '--output', 'json'))
    expect(runs[0]).toMatchObject({ format: 'openai-chat', policy: 'ikigai', budget: 100 })
  })

  it('prints the pages of the documentation', () => {
    expect(ctxwin('help', 'tutorial')).toContain('\n## I use Claude Code: what should I set?\n')
  })

  it('counts exactly: its vocabulary is in it', () => {
    const transcript = join(root, 'fixtures/openai-chat/tools.jsonl')
    const { runs } = JSON.parse(ctxwin('simulate', transcript, '--estimator', 'openai', '--output', 'json'))
    expect(runs[0].fullTokens).toBeGreaterThan(0)
  })

  it('does as a library what the README says', () => {
    const program = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] as string
    copyFileSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(place, 'session.jsonl'))
    writeFileSync(join(place, 'program.js'), program)
    expect(Number(run('node', ['program.js']))).toBeGreaterThan(0)
  })

  it('runs nothing while it is installed, and npm warns of nothing in it', () => {
    expect(said).not.toMatch(/install-scripts|EBADENGINE|deprecated|peer/)
  })

  it('is less than 3.2 MB to download and 9 MB on disk', () => {
    expect(packed.size).toBeLessThan(3.2e6)
    expect(packed.unpackedSize).toBeLessThan(9e6)
  })

  it('has the licences of what its script is made of', () => {
    const texts = readFileSync(join(place, 'node_modules/ctxwin/dist/licenses.txt'), 'utf8').split(/\n-{80}\n\n/)
    const named = texts.map((text) => /^(\S+) \d/.exec(text)?.[1])
    const listed = readFileSync(join(root, 'docs/licences.md'), 'utf8')
    expect(named).toContain('commander')
    expect(named.filter((name) => !listed.includes(`| ${name} |`) && !listed.includes(`[${name}](`))).toEqual([])
  })

  it('has what a user needs and nothing else', () => {
    const files = packed.files.map(({ path }) => path)
    expect(files).toContain('bin/ctxwin.js')
    expect(files).toContain('dist/app/index.d.ts')
    expect(files).toContain('LICENSE')
    // The modules are in two bundles, but for those that an agent's own bundler chooses from.
    const modules = 'dist/live/modules/'
    expect(files.filter((path) => path.endsWith('.js') && !path.startsWith(modules))).toEqual([
      'bin/ctxwin.js',
      'dist/library.js',
    ])
    expect(files).toContain(`${modules}live/index.js`)
    expect(files.filter((path) => /^(test|bench|fixtures|node_modules)\/|tsbuildinfo$/.test(path))).toEqual([
      // What pages run commands on.
      'fixtures/claude-code/compaction.jsonl',
      'fixtures/claude-code/refactor.jsonl',
      'fixtures/claude-code/split-response.jsonl',
      'fixtures/claude-code/started-agents.jsonl',
      'fixtures/codex/items.jsonl',
      'fixtures/openai-chat/tools.jsonl',
      'fixtures/openai-chat/trips.jsonl',
    ])
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(10)
  })
})
