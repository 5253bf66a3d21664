/** What `--help` says: every choice, under headings, at 80 columns. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CommandLine, namedCommands } from '../../../src/cli/inputs/commands.ts'
import { groups, outputNames, setting } from '../../../src/cli/inputs/settings.ts'
import { topics } from '../../../src/cli/inputs/topics.ts'
import { reports } from '../../../src/reports/index.ts'
import { root } from '../../docs.ts'
import { runCli } from '../run.ts'

const helpOf = async (...argv: string[]) => (await runCli([...argv, '--help'])).stdout
const wholeHelpOf = async (...argv: string[]) => helpOf(...argv, '--all')
/** As one line, so that no phrase is broken. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

describe.each(namedCommands.map((command) => [command.name, command] as [string, CommandLine]))(
  'ctxwin %s --help',
  (name, command) => {
    it('names each word that a flag of fixed words takes', async () => {
      const text = flat(await wholeHelpOf(name))
      const flags = [
        ...command.settings.map(
          (key) => [setting(key).flags, command.otherWords?.[key] ?? setting(key).words] as const,
        ),
        ...(command.flags ?? []).map(([flags, , { words } = {}]) => [flags, words] as const),
      ]
      for (const [flag, words] of flags) {
        const [, told] = new RegExp(`${/--[\w-]+/.exec(flag)?.[0]} <(.*?)(?= --|$)`).exec(text) ?? []
        if (Array.isArray(words)) for (const word of words) expect(told).toMatch(new RegExp(`\\b${word}\\b`))
      }
    })

    it('fits into 80 columns, but for the example, which is there to be copied', async () => {
      for (const line of (await wholeHelpOf(name)).split('\n').filter((line) => !line.startsWith('  ctxwin '))) {
        expect(line.length, line).toBeLessThanOrEqual(80)
      }
    })

    it('has its headings in one order, the general flags last', async () => {
      const order = ['Usage', 'Arguments:', 'Options:', ...Object.values(groups), 'Example:']
      const headings = [...(await wholeHelpOf(name)).matchAll(/^(Usage|[A-Z][\w ]+:$)/gm)].map(
        ([word]) => word as string,
      )
      expect(headings).toEqual(order.filter((heading) => headings.includes(heading)))
      expect(headings).toContain('General:')
    })
  },
)

it('ctxwin --help fits on a screen, and says where the rest is', async () => {
  const text = await helpOf()
  const lines = text.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
  for (const { name, isRare = false } of namedCommands) {
    expect(new RegExp(`^  ${name} `, 'm').test(text), name).toBe(!isRare)
  }
  expect(text).toContain('ctxwin help --all')
})

it('ctxwin help --all lists every command, and the flags of the one without a name', async () => {
  const { stdout } = await runCli(['help', '--all'])
  expect(stdout.startsWith(await wholeHelpOf())).toBe(true)
  for (const { name } of namedCommands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  expect(stdout).toContain('--min-requests <number>')
})

it('the help of a command leaves out what few need, and --all has it', async () => {
  const [short, whole] = [await helpOf('simulate'), await wholeHelpOf('simulate')]
  for (const flag of ['--budget', '--policy', '--since', '--project', '--json', '--quiet', '--full'])
    expect(short).toContain(flag)
  expect(short).not.toContain('--estimator')
  expect(short).toContain('All flags: ctxwin simulate --help --all')
  expect(whole).toContain('--estimator')
  expect(whole).not.toContain('All flags:')
  expect((await runCli(['help', 'simulate', '--all'])).stdout).toBe(whole)
})

it.each([
  ['overview', 'ctxwin'],
  ['window', 'ctxwin history --request'],
  ['exchanges', 'ctxwin history --exchanges'],
  ['init', 'ctxwin check --init'],
  ['convert', 'ctxwin export --to'],
  ['policies', 'ctxwin list policies'],
  ['models', 'ctxwin list models'],
])('says what %s is', async (word, line) => {
  expect(await runCli([word])).toEqual({
    code: 2,
    stdout: '',
    stderr: `ctxwin: unknown command '${word}'. It is ${line}\n`,
  })
})

it('is as wide as COLUMNS says', async () => {
  const { stdout } = await runCli(['spend', '--help'], { env: { COLUMNS: '64' } })
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(64)
})

it('knows the outputs that there are: outputNames of src/cli/inputs/settings.ts is the registry of src/reports/index.ts', () => {
  expect([...outputNames]).toEqual(reports.names)
})

describe('ctxwin help', () => {
  it.each(topics)('$name prints the page, at 80 columns but for what is typed or shown', async ({ name }) => {
    const { code, stdout } = await runCli(['help', name])
    const [title] = readFileSync(`${root}docs/${name}.md`, 'utf8').split('\n')
    expect([code, stdout.split('\n')]).toEqual([0, expect.arrayContaining([title])])
    const prose = stdout.split('\n').filter((line) => !line.startsWith('    '))
    for (const line of prose.filter((line) => !line.startsWith('  ctxwin ')))
      expect([...line].length).toBeLessThanOrEqual(80)
    // Links are text, and comments are for programs.
    expect(prose.filter((line) => /\]\([\w.#]|<!--/.test(line))).toEqual([])
  })

  it('has a page for each file of docs/', () => {
    const files = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'))
    expect(topics.map(({ name }) => `${name}.md`).sort()).toEqual(files.sort())
  })

  it('prints the help of a command, and below it the page of the same name', async () => {
    expect((await runCli(['help', 'simulate'])).stdout).toBe(await helpOf('simulate'))
    const both = (await runCli(['help', 'spend'])).stdout
    expect(both.startsWith(`${await helpOf('spend')}\n# `)).toBe(true)
  })

  it('alone lists commands and pages', async () => {
    const { stdout } = await runCli(['help'])
    expect(stdout.startsWith(await helpOf())).toBe(true)
    for (const { name } of topics) expect(stdout).toMatch(new RegExp(` ${name} +\\w`))
  })

  it('says in one line which topic may have been meant', async () => {
    expect(await runCli(['help', 'tutoral'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: unknown topic "tutoral". Did you mean "tutorial"?\n',
    })
    const { code, stdout, stderr } = await runCli(['help', 'zork'])
    expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2])
    expect(stderr).toContain('ctxwin help lists all')
  })

  it('is named where a page is called like a command', async () => {
    const { code, stderr } = await runCli(['tutorial'])
    expect([code, stderr]).toEqual([2, "ctxwin: unknown command 'tutorial'. To read about it: ctxwin help tutorial\n"])
  })
})
