/** The completions at work: each shell with a terminal of its own, and somebody who types and presses Tab. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const prompt = 'READY> '
/** How each is started without the files of its user. The prompt is said in two parts, so that its echo is none. */
const shells = {
  bash: { command: 'bash --norc --noprofile -i', prepare: "PS1='REA''DY> '" },
  zsh: { command: 'zsh -f -i', prepare: "autoload -U compinit; compinit -u -D; PS1='REA''DY> '" },
  fish: { command: 'fish --no-config -i', prepare: "function fish_prompt; printf '%s' 'REA''DY> '; end" },
} as const
type Shell = keyof typeof shells

/** `script` of util-linux gives a program a terminal. */
const hasTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false
const isThere = (shell: string) => hasTerminals && spawnSync(shell, ['-c', 'exit']).status === 0

/** What is typed, and the words that the program gets. */
const typed = [
  ['ctxwin simu\t', ['simulate']],
  ['ctxwin simulate two\t', ['simulate', 'two words.jsonl']],
  ['ctxwin simulate a\\ b/on\t', ['simulate', 'a b/one.jsonl']],
  ['ctxwin simulate -o two\t', ['simulate', '-o', 'two words.jsonl']],
  ['ctxwin simulate --max-unp\t', ['simulate', '--max-unpacked']],
  ['ctxwin simulate --cache rec\t', ['simulate', '--cache', 'recorded']],
  ['ctxwin simulate --policy drop-ol\t', ['simulate', '--policy', 'drop-oldest']],
  ['ctxwin simulate --policy ikigai,drop-ol\t', ['simulate', '--policy', 'ikigai,drop-oldest']],
  ['ctxwin simulate --policy=drop-ol\t', ['simulate', '--policy=drop-oldest']],
  ['ctxwin simulate -f code\t', ['simulate', '-f', 'codex']],
  ['ctxwin spend --by proj\t', ['spend', '--by', 'project']],
  ['ctxwin simulate --by ref\t', ['simulate', '--by', 'reference']],
  ['ctxwin --config two\t sim\t', ['--config', 'two words.jsonl', 'simulate']],
  ['ctxwin simulate --quie\t', ['simulate', '--quiet']],
  ['ctxwin check --reporter sar\t', ['check', '--reporter', 'sarif']],
  ['ctxwin list models claude-sonnet-4-5\t', ['list', 'models', 'claude-sonnet-4-5']],
  ['ctxwin list policies drop-ol\t', ['list', 'policies', 'drop-oldest']],
  ['ctxwin help tuto\t', ['help', 'tutorial']],
  ['ctxwin help simu\t', ['help', 'simulate']],
  ['ctxwin completion zs\t', ['completion', 'zsh']],
  ['ctxwin help re\tcommend', ['help', 'recommend']],
] as const

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-completion-'))
  mkdirSync(join(cwd, 'bin'))
  // Prints the words it gets, so that nothing but the completing is tried.
  writeFileSync(join(cwd, 'bin/ctxwin'), '#!/bin/sh\nfor word; do printf "<%s>" "$word"; done; echo "<end>"\n')
  chmodSync(join(cwd, 'bin/ctxwin'), 0o755)
  mkdirSync(join(cwd, 'a b'))
  for (const name of ['two words.jsonl', 'a b/one.jsonl', 'a b/two.jsonl']) writeFileSync(join(cwd, name), '')
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** Types each line when the shell is ready for it, and returns what `ctxwin` was called with. */
async function calls(shell: Shell, lines: readonly string[]): Promise<string[][]> {
  const { command, prepare } = shells[shell]
  writeFileSync(join(cwd, 'completion'), (await runCli(['completion', shell])).stdout)
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, HOME: cwd, TERM: 'dumb', LANG: 'C.UTF-8' }
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd, env })
  const waiting = [`${prepare}\r`, '. ./completion\r', ...lines.map((line) => `${line}\r`), 'exit\r']
  let shown = ''
  let seen = 0
  const type = () => child.stdin.write(waiting.shift() as string)
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk
    const prompts = shown.split(prompt).length - 1
    if (prompts > seen && waiting.length > 0) type()
    seen = Math.max(seen, prompts)
  })
  type()
  await new Promise((done) => child.on('exit', done))
  return [...shown.matchAll(/((?:<[^<>\r\n]*>)*)<end>/g)].map(([, words = '']) =>
    [...words.matchAll(/<([^<>]*)>/g)].map(([, word = '']) => word),
  )
}

describe.each(Object.keys(shells) as Shell[])('%s', (shell) => {
  it.skipIf(!isThere(shell))(
    `completes commands, flags, their words and files (${isThere(shell) ? 'it is installed' : 'it is not installed, or script is not: skipped'})`,
    // What is typed into a shell on a busy machine can come before its prompt.
    { timeout: 60_000, retry: 2 },
    async () => {
      expect(
        await calls(
          shell,
          typed.map(([line]) => line),
        ),
      ).toEqual(typed.map(([, words]) => words))
    },
  )
})

describe('the scripts', () => {
  it.each(Object.keys(shells))(
    'of %s have every command, and nothing that a shell would take for a command of its own',
    async (shell) => {
      const { code, stdout } = await runCli(['completion', shell])
      expect(code).toBe(0)
      for (const word of ['simulate', 'spend', 'max-unpacked', 'drop-oldest']) expect(stdout).toContain(word)
      expect(stdout).not.toMatch(/\$\(rm|`/)
    },
  )
})
