/** What `--help` says: every choice, under headings, at 80 columns. */
import { describe, expect, it } from 'vitest'
import { type CommandLine, commandGroups, commands } from '../../src/cli/commands.ts'
import { groups, outputNames, setting } from '../../src/cli/settings.ts'
import { reports } from '../../src/reports/index.ts'
import { runCli } from './run.ts'

const helpOf = async (...argv: string[]) => (await runCli([...argv, '--help'])).stdout
/** As one line, so that no phrase is broken. */
const flat = (text: string) => text.replaceAll(/\s+/g, ' ')

describe.each(commands.map((command) => [command.name, command] as [string, CommandLine]))(
  'ctxwin %s --help',
  (name, command) => {
    it('names each word that a flag of fixed words takes', async () => {
      const text = flat(await helpOf(name))
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
      for (const line of (await helpOf(name)).split('\n').filter((line) => !line.startsWith('  ctxwin '))) {
        expect(line.length, line).toBeLessThanOrEqual(80)
      }
    })

    it('has its headings in one order, the general flags last', async () => {
      const order = ['Usage', 'Arguments:', 'Options:', ...Object.values(groups), 'Example:']
      const headings = [...(await helpOf(name)).matchAll(/^(Usage|[A-Z][\w ]+:$)/gm)].map(([word]) => word as string)
      expect(headings).toEqual(order.filter((heading) => headings.includes(heading)))
      expect(headings).toContain('General:')
    })
  },
)

it('ctxwin --help names every command under its heading, and how to learn more', async () => {
  const text = await helpOf()
  for (const { name, group } of commands) {
    const [, under = ''] = text.split(`\n${commandGroups[group]}\n`)
    expect(under.split('\n\n')[0]).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
  expect(text).toContain('ctxwin <command> --help')
})

it('is as wide as COLUMNS says', async () => {
  const { stdout } = await runCli(['spend', '--help'], { env: { COLUMNS: '64' } })
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(64)
})

it('knows the outputs that there are', () => {
  expect([...outputNames]).toEqual(reports.names)
})
