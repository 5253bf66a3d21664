/** Whose windows a command shows where nobody names a policy or a budget. */
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/inputs/commands.ts'
import { billedSession, conversation, useRepository } from '../../check/repository.ts'
import { wordsOf } from '../run.ts'

const repository = useRepository()
const { write, ctxwin } = repository

/** What `history`, a command of one transcript, says that it shows. */
async function shown(...words: string[]) {
  const { stdout } = await ctxwin('history', 'a.jsonl', '--output', 'json', ...words)
  const { policy, budget } = JSON.parse(stdout)
  return [policy, budget]
}

describe('without a policy and a budget', () => {
  it('the window is the one that there was', async () => {
    write('a.jsonl', conversation(9))
    expect(await shown()).toEqual(['as-recorded', 0])
    expect(await shown('--policy', 'as-recorded')).toEqual(['as-recorded', 0])
  })

  it.each([
    ['a flag', ['--budget', '200'], {}, null],
    ['a variable', [], { CTXWIN_BUDGET: '200' }, null],
    ['the config file', [], {}, '{ "budget": 200 }'],
  ])('a budget by %s asks for a policy that keeps to it', async (_, flags, env, config) => {
    write('a.jsonl', conversation(9))
    if (config !== null) write('ctxwin.config.json', config)
    Object.assign(repository.env, env)
    expect(await shown(...flags)).toEqual(['ikigai', 200])
  })

  it.each([
    ['a flag', ['--policy', 'drop-oldest'], {}, null],
    ['a variable', [], { CTXWIN_POLICY: 'drop-oldest' }, null],
    ['the config file', [], {}, '{ "policy": ["drop-oldest"] }'],
  ])('a policy by %s has the budget that simulate has', async (_, flags, env, config) => {
    write('a.jsonl', conversation(9))
    if (config !== null) write('ctxwin.config.json', config)
    Object.assign(repository.env, env)
    expect(await shown(...flags)).toEqual(['drop-oldest', 100_000])
  })

  it('every command says in --print-config and in --help what it takes', async () => {
    const recorded = ['report', 'history', 'check', 'export']
    for (const { name, settings, ...line } of commands) {
      const otherDefaults: readonly string[] = 'otherDefaults' in line ? line.otherDefaults : []
      const known: readonly string[] = settings
      if (!known.includes('policy') || otherDefaults.includes('policy')) continue
      const usual = recorded.includes(name) ? 'as-recorded' : 'ikigai'
      const { stdout: printed } = await ctxwin(...wordsOf(name), '--print-config')
      expect([name, /^policy +"(.*)" {2}\(default\)$/m.exec(printed)?.[1]]).toEqual([name, usual])
      const { stdout: help } = await ctxwin(...wordsOf(name), '--help', '--all')
      expect(help.replaceAll(/\s+/g, ' ')).toContain(`filters each tool result (default: ${usual}`)
    }
  })
})

describe('a first line names the policy and the budget', () => {
  const first = ({ stdout, stderr }: { stdout: string; stderr: string }, by: 'stdout' | 'stderr') =>
    ({ stdout, stderr })[by].split('\n')[0]

  it.each([
    [[], 'as-recorded'],
    [['--budget', '5k'], 'ikigai at 5k'],
    [['--budget', '5k', '--policy', 'ikigai:keepLast=2'], 'ikigai:keepLast=2 at 5k'],
    [['--budget', '0', '--policy', 'keep-all'], 'keep-all without a budget'],
  ])('of %j', async (flags, words) => {
    write('a.json', billedSession(9))
    const run = (command: string, ...more: string[]) => ctxwin(command, 'a.json', ...flags, ...more)
    expect(first(await run('history'), 'stdout')).toMatch(new RegExp(`^${words}, at the end, `))
    expect(first(await run('history', '--lost'), 'stdout')).toMatch(new RegExp(`^${words}: `))
    expect((await run('history', '--output', 'svg')).stdout).toContain(
      `>${words.replace(':keepLast=2', ' (keepLast=2)').replace(' without a budget', '')} · `,
    )
    expect(first(await run('history', '--request'), 'stderr')).toBe(`ctxwin: the request of ${words}`)
    expect(first(await run('check', '--assert', 'maxCuts=99'), 'stdout')).toMatch(new RegExp(` under ${words}$`))
    expect(first(await run('export', '--to', 'ndjson:out'), 'stderr')).toMatch(new RegExp(` under ${words}$`))
  })
})

describe('a policy alone', () => {
  it.each([
    [['--policy', 'mimir'], 'mimir at its own budget of 128k'],
    [['--policy', 'mimir', '--budget', 'own'], 'mimir at its own budget of 128k'],
    [['--policy', 'drop-oldest', '--budget', 'own'], 'drop-oldest at 100k'],
  ])('%j has its own budget, and the first line names it', async (flags, words) => {
    write('a.json', billedSession(9))
    const run = (command: string, ...more: string[]) => ctxwin(command, 'a.json', ...flags, ...more)
    expect((await run('simulate')).stdout).toMatch(new RegExp(`^${words}: `))
    expect((await run('history')).stdout).toMatch(new RegExp(`^${words}, at the end, `))
    expect((await run('history', '--request')).stderr).toMatch(new RegExp(`^ctxwin: the request of ${words}\n`))
    expect((await run('export', '--to', 'ndjson:out')).stderr.split('\n')[0]).toMatch(new RegExp(` under ${words}$`))
    const [short = ''] = words.split(' of ')
    expect((await run('check', '--assert', 'maxCuts=99')).stdout).toMatch(new RegExp(` under ${short}\n$`))
  })

  it('says of windows of several sizes how large they are at most', async () => {
    write('a.json', billedSession(9))
    write('b.json', billedSession(9, 'ses_2').replaceAll('gpt-5', 'claude-sonnet-4-5'))
    const { stdout } = await ctxwin('simulate', 'a.json', 'b.json', '--policy', 'claude-code-auto')
    expect(stdout).toMatch(/^claude-code-auto at its own budget of up to 400k: /)
  })

  it('is 100000 for all where every policy is tried, unless each is to have its own', async () => {
    write('a.json', billedSession(9))
    const budgets = async (...flags: string[]) => {
      const { stdout } = await ctxwin('recommend', 'a.json', '--policy', 'all', '--output', 'json', ...flags)
      const { decisions } = JSON.parse(stdout) as { decisions: { candidates: { policy: string; budget: number }[] }[] }
      return new Set(decisions.flatMap(({ candidates }) => candidates).map(({ budget }) => budget))
    }
    const isWithin = (all: ReadonlySet<number | null>, more: readonly number[]) =>
      expect([null, 100_000, ...more]).toEqual(expect.arrayContaining([...all]))
    isWithin(await budgets(), [])
    isWithin(await budgets('--budget', 'own'), [128_000, 400_000])
  })
})

describe('a check of what the agent did', () => {
  /** The largest recorded prompt, found by hand. */
  const largest = (text: string): number =>
    Math.max(...[...text.matchAll(/"tokens":\{"input":(\d+)/g)].map(([, input]) => Number(input)))

  it('fails where a recorded prompt is above the limit, and holds where none is', async () => {
    repository.env = {}
    const session = billedSession(400)
    write('a.json', session)
    const most = largest(session)
    expect(most).toBeGreaterThan(131_000)
    expect(await ctxwin('check', 'a.json', '--assert', 'maxPeakTokens=120k')).toMatchObject({ code: 1 })
    expect(await ctxwin('check', 'a.json', '--assert', `maxPeakTokens=${Math.ceil(most * 1.01)}`)).toMatchObject({
      code: 0,
    })
  })
})

describe('a baseline from a time with another default', () => {
  const limits = ['--assert', 'maxPeakTokens=50k']

  it('is refused with a line that says how to keep it, and kept where that is named', async () => {
    write('t/a.json', billedSession(9))
    const old = ['--policy', 'ikigai', '--budget', '100000']
    expect((await ctxwin('check', 't', ...old, ...limits, '--update-baseline')).code).toBe(0)
    const reason =
      'ctxwin-baseline.json was made with other policies (ikigai, now as-recorded, as none are named), so its figures cannot be compared: name them (--policy ikigai --budget 100000), or re-baseline with --update-baseline'
    expect(await ctxwin('check', 't', ...limits)).toMatchObject({ code: 2, stderr: `ctxwin: ${reason}\n` })
    expect((await ctxwin('check', 't', ...old)).code).toBe(0)
    // Where something else is named, the default has nothing to do with it.
    const { stderr } = await ctxwin('check', 't', '--policy', 'keep-all')
    expect(stderr).toContain('other policies (ikigai, now keep-all), so its figures cannot be compared: re-baseline')
  })

  it('check --init writes no policy that would reach every command, and its check holds', async () => {
    write('t/a.json', billedSession(9))
    const { stdout } = await ctxwin('check', '--init', 't')
    expect(stdout).toContain('wrote ctxwin-baseline.json: 1 file under as-recorded\n')
    const config = repository.read('ctxwin.config.jsonc')
    expect(config).not.toMatch(/^ *"(policy|budget)"/m)
    expect(config).not.toContain('"maxOverBudgetRequests"')
    expect(JSON.parse(repository.read('ctxwin-baseline.json')).madeWith).toMatchObject({
      policies: ['as-recorded'],
      budgets: [0],
    })
    expect(await ctxwin('check')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ under as-recorded\n$/) })
  })
})
