/** The law of addresses: wherever somebody names one, no output has its password, its token or its key. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commands } from '../../src/cli/inputs/commands.ts'
import { flagsOf } from '../../src/cli/inputs/flags.ts'
import { settings, variableOf } from '../../src/cli/inputs/settings.ts'
import { secret } from '../addresses.ts'
import { type Ran, runCli } from '../cli/run.ts'
import { sampled } from '../whole.ts'

/** What else has to be there for a command to come so far that it looks at the value. */
const more: Readonly<Record<string, readonly string[]>> = {
  probe: ['--policy', 'drop-oldest', '-b', '16k', '--ask', 'claude-sonnet-4-5', '--max-usd', '1'],
  convert: ['--to', 'ctxwin'],
  check: ['--assert', 'maxCuts=1'],
}

/** What is no place, but what a model is called: it is printed as it is, and looked up nowhere. */
const isName = (key: string): boolean => /^(?:--)?(?:model|ask)$/.test(key)

export function addressLaws(told: readonly string[], names: readonly string[]): void {
  const home = mkdtempSync(join(tmpdir(), 'ctxwin-addresses-'))
  afterAll(() => rmSync(home, { recursive: true }))
  const session = join(import.meta.dirname, '../../fixtures/claude-code/compaction.jsonl')

  async function silent(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    // A file that an earlier one has written would be there.
    const cwd = mkdtempSync(join(home, 'cwd-'))
    const ran = await runCli(argv, { cwd, env: { COLUMNS: '1000', ...env } })
    const { code, stdout, stderr } = ran
    expect([0, 1, 2], `${argv.join(' ')}: ${stderr}`).toContain(code)
    expect(stdout + stderr, argv.join(' ')).not.toContain(secret)
    return ran
  }

  it.each(commands.filter(({ name }) => names.includes(name)).map((line) => [line.name, line] as const))(
    'in the place of an input or a value of %s',
    async (name, line) => {
      const flags = flagsOf(line)
        .flatMap(({ flags }) => /^.*(--[\w.-]+) </.exec(flags)?.[1] ?? [])
        .filter((flag) => !isName(flag))
      const inputs = line.inputs === 'many' || line.inputs === 'one' ? [session] : []
      for (const address of sampled(told, 3, name.length)) await silent([name, address, ...(more[name] ?? [])])
      // By turns, and all of them for all flags.
      for (const [at, flag] of flags.entries()) {
        for (const address of sampled(told, told.length, at)) {
          await silent([name, ...inputs, ...(more[name] ?? []), `${flag}=${address}`])
        }
      }
    },
  )

  it('in the variable that says where a provider is asked', async () => {
    const long = session.replace('compaction', 'refactor')
    const argv = ['probe', long, ...(more.probe as string[]), '--endpoint', 'anthropic']
    const said: string[] = []
    for (const address of told)
      said.push((await silent(argv, { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: 'k' })).stderr)
    // Of those that a request could go to it says so.
    expect(said.filter((text) => /go to https?:.*\*\*\*.*: say --yes to send them/.test(text))).not.toEqual([])
  })

  it('in a setting, by a flag and a variable, and where settings are printed', async () => {
    for (const [at, { key }] of settings.filter(({ key }) => !isName(key)).entries()) {
      const env = { [variableOf(key)]: told[at % told.length] as string }
      await silent(['simulate', session, '-b', '16k'], env)
      await silent(['--print-config'], env)
    }
    for (const address of told) {
      await silent([`--${address}`])
      await silent([address])
    }
  })
}
