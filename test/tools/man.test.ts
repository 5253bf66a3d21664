/** docs/ctxwin.1: what the lists say, and a page that man can show. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as commandsFile from '../../src/cli/inputs/commands.ts'
import * as flags from '../../src/cli/inputs/flags.ts'
import { groups } from '../../src/cli/inputs/settings.ts'
import { topics } from '../../src/cli/inputs/topics.ts'
import { manPage } from '../../tools/docs/man.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/ctxwin.1`, 'utf8')
const { commands } = commandsFile
const { version, man, files } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** Null where the program is not installed. */
function output(program: string, ...argv: string[]): string | null {
  const { error, stdout, stderr } = spawnSync(program, [...argv, `${root}docs/ctxwin.1`], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
  })
  return error ? null : stdout + stderr
}
const [mandoc, groff, shown] = [
  output('mandoc', '-T', 'lint', '-W', 'warning'),
  output('groff', '-man', '-ww', '-z', '-Tutf8'),
  // Small systems have a man that only says it is none.
  output('man', '-l')?.match(/^CTXWIN\(1\)[\s\S]*/)?.[0] ?? null,
]
const wherever = (found: string | null) => (found === null ? 'it is not installed: skipped' : 'it is installed')

describe('docs/ctxwin.1', () => {
  it('is what the lists say: npm run renew', () => {
    expect(page).toBe(manPage({ version, cli: { ...commandsFile, ...flags, groups, topics } }))
  })

  it('has every command with its example, and every flag', () => {
    const text = page.replaceAll('\\-', '-').replaceAll(/\\f[BIR]/g, '')
    for (const command of commands as readonly commandsFile.CommandLine[]) {
      expect(text).toContain(`\n.SS ${command.isBare ? 'without a command' : command.name}\n`)
      expect(text).toContain(command.example.replaceAll('~', '\\(ti'))
      for (const { flags: words, hidden } of flags.flagsOf(command)) {
        if (!hidden) expect(text).toContain(`.TP\n${words.replaceAll(/[<>]/g, '')}\n`)
      }
    }
  })

  it('has every page that ctxwin help prints', () => {
    for (const { name } of topics) expect(page).toContain(`.TP\n\\fB${name.replaceAll('-', '\\-')}\\fR\n`)
  })

  it('is in the package, in a list: npm links no man page that is named alone', () => {
    expect(man).toEqual(['docs/ctxwin.1'])
    expect(files.some((path: string) => man[0].startsWith(`${path}/`))).toBe(true)
  })

  // A date would change with every build.
  it.skipIf(mandoc === null)(`has nothing that mandoc warns of but the missing date (${wherever(mandoc)})`, () => {
    expect(mandoc?.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
  })

  it.skipIf(groff === null)(`has nothing that groff warns of (${wherever(groff)})`, () => {
    expect(groff).toBe('')
  })

  it.skipIf(shown === null)(`is shown by man in 80 columns, but for the examples (${wherever(shown)})`, () => {
    const lines = (shown as string).split('\n')
    expect(lines).toContain('   simulate')
    const isExample = (line: string) => line.trim().startsWith('ctxwin ')
    for (const line of lines.filter((line) => !isExample(line))) expect(line.length, line).toBeLessThanOrEqual(80)
  })
})
