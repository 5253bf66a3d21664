import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { checkPolicy } from '../../src/app/own-policy.ts'
import type { Plan } from '../../src/app/plan.ts'
import { resolveParams } from '../../src/base/param.ts'
import { importOwn } from '../../src/cli/inputs/own-module.ts'
import { estimators } from '../../src/estimators/index.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { fixture } from '../readers/reading.ts'

/** `keep-all` never acts, and `as-recorded` only where the agent did, which the small conversation does not have. */
const atWork = policies.all.filter(({ name }) => name !== 'keep-all' && name !== 'as-recorded')

let tried: Policy[] | null = null
/** Ours, as a user's own: a trial of each takes longer than a replay. */
const ownOfOurs = () => (tried ??= atWork.map((policy) => checkPolicy(policy, policy.name)))

describe('a policy of the user’s own', () => {
  it('finds nothing wrong with ours', () => {
    expect(ownOfOurs().map(({ name }) => name)).toEqual(atWork.map(({ name }) => name))
  })
})

describe('a policy of the user’s own that meets a transcript', () => {
  const plan = (...plugins: Policy[]): Plan => ({
    policies: plugins.map((plugin) => ({ plugin, values: resolveParams(plugin.name, plugin.params, {}) })),
    estimators: [{ plugin: estimators.get('bytes'), values: { bytesPerToken: 4 } }],
    budgets: [200],
    preamble: 0,
    model: null,
    provider: null,
    native: false,
    references: false,
  })
  /** The transcript is read once for all policies. */
  const runsOf = async (plugins: Policy[]) => {
    const sources = [openFile(fixture('claude-code', 'refactor.jsonl'))]
    return (await simulateSources(sources, plan(...plugins), { format: 'auto', by: 'request' })).runs
  }
  let both: ReturnType<typeof runsOf>[] | null = null

  it.each(atWork.map(({ name }) => name))('does what it does bare: %s', async (name) => {
    both ??= [runsOf(ownOfOurs()), runsOf(atWork)]
    const [own, bare] = (await Promise.all(both)).map((runs) => runs.filter(({ policy }) => policy === name))
    expect(own).toHaveLength(1)
    expect(own).toEqual(bare)
  })
})

describe('a module of the user’s own', () => {
  it.each([
    ['an endless loop', 'for (;;);', 0.5, 'after 0.5 seconds its code is still running'],
    ['a wait for nothing', 'await new Promise(() => {})', 10, 'it waits for what never comes'],
    ['process.exit', 'process.exit(0)', 10, 'it calls process.exit'],
    ['null thrown', 'throw null', 10, 'it throws what is no Error'],
  ])('is refused: %s', async (_, code, seconds, what) => {
    const path = join(mkdtempSync(join(tmpdir(), 'ctxwin-')), 'mine.mjs')
    writeFileSync(path, code)
    await expect(importOwn(path, './mine.mjs', 'any', seconds)).rejects.toThrow(`./mine.mjs: cannot be loaded: ${what}`)
  })
})
