/** Whether agreement means anything on real sessions: an action agrees with itself, and seldom with what the agent did next. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FullTrace } from '../../../src/app/analyse.ts'
import { openFile, readTraces } from '../../../src/app/index.ts'
import { recordedAction } from '../../../src/app/probe/bodies.ts'
import type { Agreement, AgreementShares, NextAction, Share } from '../../../src/model/probe.ts'
import { agreementOf, agreementShares } from '../../../src/references/agreement.ts'

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
const agents = ['claude-code', 'codex-rollout', 'pi', 'opencode-export', 'copilot-cli', 'gemini-cli', 'swe-agent-traj']

const filesOf = (agent: string): string[] =>
  readdirSync(join(corpus, agent), { recursive: true, encoding: 'utf8' })
    .map((name) => join(corpus, agent, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size < 4_000_000)
    .sort()

interface Compared {
  readonly own: Agreement[]
  readonly next: Agreement[]
  /** With an action of anywhere else. */
  readonly other: Agreement[]
}

async function compared(agent: string): Promise<Compared> {
  const all: Compared = { own: [], next: [], other: [] }
  const done: NextAction[] = []
  for (const file of filesOf(agent)) {
    try {
      for await (const trace of readTraces([openFile(file)])) {
        const { requests, head } = trace
        const actions = Array.from({ length: requests }, (_, request) => recordedAction(trace as FullTrace, request))
        for (const [request, action] of actions.entries()) {
          done.push(action)
          // The same in another object, as it comes from a journal.
          all.own.push(agreementOf(action, JSON.parse(JSON.stringify(action)), head.cwd))
          const next = actions[request + 1]
          if (next) all.next.push(agreementOf(action, next, head.cwd))
        }
      }
    } catch (error) {
      // Not a transcript.
      if (!('code' in (error as object))) throw error
    }
  }
  const half = Math.floor(done.length / 2)
  for (let at = 0; at < half; at++)
    all.other.push(agreementOf(done[at] as NextAction, done[at + half] as NextAction, null))
  return all
}

const percent = ({ share, whole }: Share) => `${(100 * (share ?? 0)).toFixed(1)} % of ${whole}`

it.skipIf(!existsSync(corpus))(
  'is whole with what was done, and rare with what was done next or elsewhere',
  async () => {
    const pooled: Compared = { own: [], next: [], other: [] }
    for (const agent of agents.filter((name) => existsSync(join(corpus, name)))) {
      const one = await compared(agent)
      const [own, next, other] = [one.own, one.next, one.other].map(agreementShares) as [
        AgreementShares,
        AgreementShares,
        AgreementShares,
      ]
      process.stdout.write(
        `${agent}: with itself ${percent(own.same)}, with the next ${percent(next.same)} (tool ${percent(next.tool)}), elsewhere ${percent(other.same)}\n`,
      )
      expect(own.same.whole, agent).toBeGreaterThan(10)
      for (const tier of ['same', 'tool', 'target', 'edit'] as const)
        expect(own[tier].part, `${agent} ${tier}`).toBe(own[tier].whole)
      expect([own.input.mean ?? 1, own.said.mean ?? 1], agent).toEqual([1, 1])
      for (const kind of ['own', 'next', 'other'] as const) for (const each of one[kind]) pooled[kind].push(each)
    }
    const [next, other] = [agreementShares(pooled.next), agreementShares(pooled.other)]
    // It is the same file that is often edited again; what is changed in it is another tier, and hardly ever the same.
    expect(next.same.share).toBeLessThan(0.12)
    expect(next.edit.share).toBeLessThan(0.02)
    expect(other.same.share).toBeLessThan(0.03)
    // The tool alone says little.
    expect(next.tool.share).toBeGreaterThan(0.3)
  },
  600_000,
)
