/** A decision goes by the last sessions, whatever their files are called and in which order they are read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import type { Measured } from '../../../src/app/answer/candidate-sums.ts'
import type { Measurements } from '../../../src/app/answer/decide.ts'
import { Decisions, type Lately } from '../../../src/app/answer/decisions.ts'
import { recommend } from '../../../src/app/answer/recommend.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { choose } from '../../../src/base/chosen.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { Decision } from '../../../src/model/recommendation.ts'
import type { Trace } from '../../../src/model/trace.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { referencesWithoutCopies } from '../../../src/references/digest.ts'
import { claudeSession } from '../bill/claude-session.ts'

const plan = { policies: [], estimators: [choose(bytes)], budgets: [] }
const count = 29
let place = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-last-'))
})
afterAll(() => rmSync(place, { recursive: true }))

/** @param nameOf of a session, the first of which is the oldest; files are read in the order of `sessions` */
async function decided(
  sessions: readonly number[],
  nameOf: (session: number) => string,
  more: object = {},
): Promise<Decision> {
  const files = sessions.map((session) => {
    const file = join(place, nameOf(session))
    // The older a session, the less it reads.
    writeFileSync(file, claudeSession(session, 4 + (session >> 1), 40))
    return file
  })
  const { decisions } = await recommend(readingHere(files.map(openFile), {}), plan, more)
  return decisions[0] as Decision
}

const all = Array.from({ length: count }, (_, session) => session)
const plainly = (session: number) => `${session}.jsonl`

it('is made on the last 25', async () => {
  const decision = await decided(all, plainly)
  expect(decision).toMatchObject({ sessions: 25, allSessions: count, transcripts: 25 })
  const last = await decided(all.slice(-25), plainly)
  const { allSessions: _, otherwise: __, month: ___, spent: ____, ...figures } = decision
  expect(last).toMatchObject(JSON.parse(JSON.stringify(figures)))
  expect(await decided(all, plainly, { sessions: 'all' })).toMatchObject({ sessions: count, transcripts: count })
})

it('is the same whatever the files are called and in which order they are read', async () => {
  const [decision, other] = [
    await decided(all, plainly),
    await decided(
      all.toSorted((one, two) => ((one * 11) % count) - ((two * 11) % count)),
      (session) => `z${(session * 17) % count}.jsonl`,
    ),
  ]
  expect(other).toEqual(decision)
})

it('is made on as many as are asked for', async () => {
  for (const sessions of [3, 27, 200]) {
    const count = Math.min(sessions, all.length)
    expect(await decided(all, plainly, { sessions })).toMatchObject({ sessions: count, transcripts: count })
  }
})

it('counts sub-agents of sub-agents with the session that they come from, whichever is read first', async () => {
  const file = join(place, 'one.jsonl')
  writeFileSync(file, claudeSession(1, 2))
  const decisions = new Decisions(plan, { sessions: 'all' })
  const found: Measured[] = []
  const settings = { keepMessages: true, digest: referencesWithoutCopies }
  const take = (trace: Trace): [] => {
    found.push(decisions.measure(trace))
    return []
  }
  for await (const _ of readSources([openFile(file)], decisions.plan, settings, take));
  const [one] = found as [Measured]
  const part = (conversation: string, parent: string | null) => ({ ...one, run: { ...one.run, conversation }, parent })
  const parts = [part('a', null), part('b', 'a'), part('c', 'b'), part('d', null)]
  for (const all of [parts, parts.toReversed()]) {
    const { sessions, sessionOf } = sumsOf(all)
    expect(sessions).toBe(2)
    const numbers = new Map(all.map(({ run }, at) => [run.conversation, sessionOf[at]]))
    expect([numbers.get('b'), numbers.get('c')]).toEqual([numbers.get('a'), numbers.get('a')])
    expect(numbers.get('d')).not.toBe(numbers.get('a'))
  }
})

/** What is measured of these. */
function sumsOf(parts: readonly Measured[]): Measurements {
  const decisions = new Decisions(plan, { sessions: 'all' })
  for (const part of parts) decisions.add(part)
  const [{ measured }] = decisions.measurements() as [Lately]
  return measured
}
