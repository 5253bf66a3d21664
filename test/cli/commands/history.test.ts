/** The dollars of `history`: those of the whole session, as `sessions` calls it, wherever its sub-agents are written down. */
import { describe, expect, it } from 'vitest'
import { useRepository } from '../../check/repository.ts'

const repository = useRepository()
const { write, ctxwin } = repository

/** Claude Sonnet 4.5, in dollars a million tokens: input 3, read 0.3, written 3.75, output 15. */
const priceOf = (turns: number, read: number): number => (turns * (3 * 10 + 0.3 * read + 3.75 * 500 + 15 * 100)) / 1e6

function session(id: string, turns: number, read: number, agentId?: string): string {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: 500,
    output_tokens: 100,
  }
  let parentUuid: string | null = null
  const record = (type: string, message: object, at: number) => {
    const uuid = `${id}-${agentId ?? ''}-${type}-${at}`
    const timestamp = new Date(1.77e12 + 1e4 * at).toISOString()
    const side = agentId === undefined ? {} : { isSidechain: true, agentId }
    const made = { type, uuid, parentUuid, sessionId: id, timestamp, ...side, message }
    parentUuid = uuid
    return `${JSON.stringify(made)}\n`
  }
  return Array.from({ length: turns }, (_, at) => [
    record('user', { role: 'user', content: `question ${at}` }, 2 * at),
    record(
      'assistant',
      {
        id: `${id}${agentId ?? ''}${at}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'so' }],
        usage,
      },
      2 * at + 1,
    ),
  ])
    .flat()
    .join('')
}

describe('a session with sub-agents', () => {
  const id = '5e550000-0000-4000-8000-000000000001'
  const other = '5e550000-0000-4000-8000-000000000002'

  it('costs with all its files what sessions says, and no other session', async () => {
    write(`p/${id}.jsonl`, session(id, 3, 9000))
    write(`p/${id}/subagents/agent-a1.jsonl`, session(id, 2, 4000, 'a1'))
    write('p/agent-b2.jsonl', session(id, 1, 2000, 'b2'))
    write(`p/${other}.jsonl`, session(other, 9, 9000))
    write('p/agent-c3.jsonl', session(other, 9, 2000, 'c3'))
    const { spent } = JSON.parse((await ctxwin('history', `p/${id}.jsonl`, '--json')).stdout)
    expect(spent.usd).toBeCloseTo(priceOf(3, 9000), 6)
    const all = priceOf(3, 9000) + priceOf(2, 4000) + priceOf(1, 2000)
    expect(spent.family).toEqual({ files: 3, transcripts: 3, usd: expect.closeTo(all, 6) })
    const { sessions } = JSON.parse((await ctxwin('sessions', 'p', '--json')).stdout)
    expect(sessions.find(({ session }: { session: string }) => session === id).usd).toBeCloseTo(spent.family.usd, 6)
    const { stdout } = await ctxwin('history', `p/${id}.jsonl`)
    expect(stdout).toContain(
      `\nThe whole session, with sub-agents and forks in 2 other files: $${Number(all.toPrecision(2))}\n`,
    )
  })

  it('says nothing of other files where there are none, or they are copies', async () => {
    write(`p/${id}.jsonl`, session(id, 3, 9000))
    write('p/copy.jsonl', session(id, 3, 9000))
    const { stdout } = await ctxwin('history', `p/${id}.jsonl`)
    expect(stdout).toContain('\nSpent $')
    expect(stdout).not.toContain('The whole session')
  })
})

describe('--costs', () => {
  it('is refused in a line where nothing is known of costs', async () => {
    write('a.jsonl', '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n')
    expect(await ctxwin('history', 'a.jsonl', '--costs')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: --costs: no usage is recorded, so the cost is unknown\n',
    })
  })
})
