/**
 * Wrong usage: each command with each of its flags, and values that are missing, empty, huge, negative, in other scripts,
 * or hostile. Every command line must end with a defined exit code, and a mistake with one line of error.
 * All of them: USAGES=all npx vitest run test/cli/usage.slow.test.ts
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type CommandLine, commands } from '../../src/cli/inputs/commands.ts'
import { setting } from '../../src/cli/inputs/settings.ts'
import { runCli, wordsOf } from './run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-usage-'))
cpSync('fixtures/openai-chat/tools.jsonl', join(cwd, 'a.jsonl'))
afterAll(() => rmSync(cwd, { recursive: true }))

const values = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e999',
    '1e21',
    '9'.repeat(400),
    'x'.repeat(100_000),
    'NaN',
    'null',
    'true',
    '[object Object]',
  ],
  ...['é', '会話', '\u202e', '\u0000', '\u001b[31m', '\ud800', '::error::x', '__proto__', 'constructor', 'toString'],
  ...['.', '-', '--', 'a.jsonl', './a.jsonl', '/dev/null', 'auto', 'json', '10k', '1%', 'a=b', 'maxCuts=3', 'maxCuts='],
  ...[
    ',',
    ':',
    'ikigai:',
    'ikigai:keepLast',
    'ikigai:keepLast=',
    'ikigai:keepLast=-1',
    'ikigai:__proto__=1',
    '*',
    '**',
    '{',
  ],
]

function flagsOf({ settings, flags = [] }: CommandLine): string[] {
  const all = [...settings.map((key) => setting(key).flags), ...flags.map(([words]) => words), '--config <file>']
  const names = all.map((words) => /--[\w.-]+/.exec(words)?.[0] as string)
  // What goes on with a session does not end by itself.
  return names.filter((name) => name !== '--follow')
}

const lines: readonly string[][] = commands.flatMap((command: CommandLine) => {
  const start = command.name === 'check' ? ['check', '--assert', 'maxCuts=9'] : wordsOf(command.name)
  const inputs = {
    many: ['a.jsonl'],
    session: ['a.jsonl'],
    one: ['a.jsonl'],
    list: ['models', 'gpt-5'],
    parts: ['part.ndjson'],
    config: ['a.jsonl'],
    none: [],
    shell: ['bash'],
    topics: ['simulate'],
  }[command.inputs]
  return [
    ...values.map((value) => [...start, value]),
    ...flagsOf(command).flatMap((name) => [
      [...start, ...inputs, name],
      ...values.map((value) => [...start, ...inputs, name, value]),
      ...values.map((value) => [...start, ...inputs, `${name}=${value}`]),
    ]),
  ]
})

async function expectSense(argv: readonly string[]): Promise<void> {
  const shown = argv.map((word) => JSON.stringify(word).slice(0, 80)).join(' ')
  const began = process.cpuUsage()
  const { code, stderr } = await runCli(argv, { cwd })
  // Of processor time: another process may have the processor meanwhile.
  const { user, system } = process.cpuUsage(began)
  expect(user + system, shown).toBeLessThan(5e6)
  expect([0, 1, 2], `${shown}: ${stderr}`).toContain(code)
  if (code === 2) expect(stderr, shown).toMatch(/^(ctxwin: [^\n]+\n(?: {4}\S[^\n]*\n)*)+$/)
  expect(stderr.length, shown).toBeLessThan(2500)
  // Files written by one command line must not be read by the next.
  rmSync(cwd, { recursive: true })
  cpSync('fixtures/openai-chat/tools.jsonl', join(cwd, 'a.jsonl'))
}

describe('whatever is typed', () => {
  it('ends in an exit code that means something, and a mistake in one line', async () => {
    if (process.env.USAGES === 'all') {
      const wrong: string[] = []
      for (const argv of lines) await expectSense(argv).catch((error: Error) => wrong.push(error.message))
      expect(wrong).toEqual([])
      return
    }
    await fc.assert(fc.asyncProperty(fc.constantFrom(...lines), expectSense), { seed: 1, numRuns: 300 })
  }, 3_600_000)

  it.each([
    ['simulate', 'a\u0000.jsonl'],
    ['check', 'a.jsonl', '', '--update-baseline'],
    ['check', 'x'.repeat(100_000), '--update-baseline'],
    ['list', 'models', 'x'.repeat(100_000)],
  ])('ends so for %.20s %.20s', async (...argv) => {
    await expectSense(argv)
  })
})
