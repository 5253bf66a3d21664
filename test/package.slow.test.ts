/** The package as a user gets it: packed, installed elsewhere, run, imported. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = new URL('..', import.meta.url).pathname
let place = ''
/** The files of the package, as npm lists them. */
let files: readonly string[] = []

function run(program: string, args: readonly string[], cwd = place): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Runs the installed program as npx would. */
const ctxwin = (...argv: string[]) => run(join(place, 'node_modules/.bin/ctxwin'), argv)

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-package-'))
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], root))
  files = packed.files.map(({ path }: { path: string }) => path)
  writeFileSync(join(place, 'package.json'), '{"name":"elsewhere","private":true,"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(place, packed.filename)])
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

  it('has what a user needs and nothing else', () => {
    expect(files).toContain('bin/ctxwin.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('LICENSE')
    expect(files.filter((path) => /^(test|bench|fixtures|node_modules)\/|tsbuildinfo$/.test(path))).toEqual([])
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies).length).toBeLessThanOrEqual(9)
  })
})
