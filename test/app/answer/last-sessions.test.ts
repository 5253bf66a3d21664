/** A decision goes by the last sessions, whatever their files are called and in which order they are read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { recommend } from '../../../src/app/answer/recommend.ts'
import { choose } from '../../../src/base/chosen.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { Decision } from '../../../src/model/recommendation.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
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
