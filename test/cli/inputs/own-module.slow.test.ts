/** Config files and policies in TypeScript and CommonJS, as docs/cli.md shows them, on this Node. */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ran, runCli } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(root, 'docs/cli.md'), 'utf8')
const shown = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name, code]) => [name as string, code as string]),
)

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-module-'))
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(root, join(cwd, 'node_modules/ctxwin'))
  mkdirSync(join(cwd, 'transcripts'))
  copyFileSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(cwd, 'transcripts/a.jsonl'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
const take = (name: string) => write(name, shown.get(name) as string)

const plain = ['simulate', '--json', '--estimator', 'bytes']

/** Policy, budget and whether there are cuts, of each run. */
function runsIn({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>) {
  expect(stderr).toBe('')
  return JSON.parse(stdout).runs.map((run: { policy: string; budget: number; cuts: unknown[] }) => [
    run.policy,
    run.budget,
    run.cuts.length > 0,
  ])
}

const simulated = async (...argv: string[]) => runsIn(await runCli([...plain, ...argv], { cwd }))

describe('docs/cli.md shows', () => {
  it('a config file and a policy in TypeScript that run', async () => {
    for (const name of ['ctxwin.config.ts', 'newest.ts']) take(name)
    // In a process of its own: this one resolves and runs modules by other rules.
    const named = ['--config', 'ctxwin.config.ts']
    const words = [join(root, 'bin/ctxwin.js'), ...plain, ...named]
    expect(runsIn(spawnSync(process.execPath, words, { cwd, encoding: 'utf8' }))).toEqual([
      ['newest', 50_000, true],
      ['newest', 100_000, true],
    ])
    expect(await simulated(...named, '--policy', './newest.ts:keep=100', '--budget', '1k')).toEqual([
      ['newest', 1000, false],
    ])
    expect(readdirSync(join(cwd, 'node_modules'))).toEqual(['ctxwin'])
  })

  it('a config file and a policy in CommonJS that run', async () => {
    for (const name of ['ctxwin.config.cjs', 'newest.cjs']) take(name)
    expect(await simulated('--config', 'ctxwin.config.cjs')).toEqual([['newest-two', 50_000, true]])
  })

  it('a config file in JSON that runs', async () => {
    take('ctxwin.config.json')
    expect((await simulated()).map(([policy, budget]: unknown[]) => [policy, budget])).toEqual([
      ['ikigai', 50_000],
      ['ikigai', 100_000],
    ])
  })
})

describe('a module', () => {
  it.each(['mts', 'cts', 'cjs', 'mjs'])('may end in .%s', async (ending) => {
    const types = ending.endsWith('ts') ? ': string' : ''
    const exported = ending.startsWith('c') ? 'module.exports =' : 'export default'
    write(`mine.${ending}`, `const budget${types} = '7k'\n${exported} { budget, inputs: 'transcripts' }\n`)
    expect(await simulated('--config', `mine.${ending}`)).toEqual([['ikigai', 7000, true]])
  })

  it('in TypeScript may import more of it', async () => {
    write('size.ts', 'export const size: number = 7000\n')
    write(
      'ctxwin.config.ts',
      "import { size } from './size.ts'\nexport default { inputs: 'transcripts', budget: size }\n",
    )
    expect(await simulated('--config', 'ctxwin.config.ts')).toEqual([['ikigai', 7000, true]])
  })

  it('in TypeScript that is broken is named with the line, and with no path but its own', async () => {
    const told = 'ctxwin: ctxwin.config.ts: cannot be loaded: line'
    write('ctxwin.config.ts', "export default {\n  budget: 1 as number,\n  policy 'ikigai',\n}\n")
    const syntax = await runCli(['simulate', '--config', 'ctxwin.config.ts'], { cwd })
    expect([syntax.code, syntax.stderr.startsWith(`${told} 3: `)]).toEqual([2, true])
    write('ctxwin.config.ts', 'interface A { a: string }\n\nconst a: any = null\na.x\nexport default {}\n')
    const thrown = await runCli(['simulate', '--config', 'ctxwin.config.ts'], { cwd })
    expect([thrown.code, thrown.stderr]).toEqual([2, `${told} 4: Cannot read properties of null (reading 'x')\n`])
    for (const { stderr } of [syntax, thrown]) expect(stderr).not.toContain(cwd)
  })
})
