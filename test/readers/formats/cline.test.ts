/** What Cline, Roo and Kilo add to Anthropic's messages, and what stands beside them in a task's directory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import { requests } from '../../policies/requests.ts'
import { exchangesOf, messagesOf, outlines, type Read, readRecords, readSource } from '../reading.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-cline-'))
afterAll(() => rmSync(top, { recursive: true }))

const at = 1775037600000
const user = (second: number, text: string) => ({
  role: 'user',
  content: [{ type: 'text', text }],
  ts: at + second * 1000,
})
const said = (second: number, text: string) => ({ ...user(second, text), role: 'assistant' })

/** Reads a task of these messages, beside these of its screen. */
function readTask(messages: readonly unknown[], screen?: unknown): Promise<Read> {
  const directory = mkdtempSync(join(top, 'task-'))
  writeFileSync(join(directory, 'api_conversation_history.json'), JSON.stringify(messages))
  if (screen !== undefined) {
    writeFileSync(join(directory, 'ui_messages.json'), typeof screen === 'string' ? screen : JSON.stringify(screen))
  }
  return readSource(openFile(join(directory, 'api_conversation_history.json')))
}

const request = (second: number, counts: unknown) => ({
  ts: at + second * 1000,
  type: 'say',
  say: 'api_req_started',
  text: JSON.stringify(counts),
})

const usages = ({ traces: [trace] }: Read) => Array.from({ length: trace!.requests }, (_, index) => trace!.usage(index))

describe('the directory of a task', () => {
  const task = [user(0, '<task>Is the lamp on?</task>'), said(10, 'I look.'), user(11, 'Well?'), said(20, 'It is.')]
  const first = { tokensIn: 10, tokensOut: 40, cacheWrites: 90, cacheReads: 900, cost: 0.1 }
  const second = { tokensIn: 1100, tokensOut: 5, cacheReads: 1000, apiProtocol: 'anthropic' }
  const usage = [
    { input: 1000, cacheRead: 900, cacheWrite: 90, cacheWrite1h: 0, output: 40, cost: 0.1 },
    { input: 1100, cacheRead: 1000, cacheWrite: 0, cacheWrite1h: 0, output: 5 },
  ]

  it("counts each response by the request of the screen's messages, as Cline or Roo counts it", async () => {
    const screen = [{ ts: at, type: 'say', say: 'text', text: 'Hi.' }, request(1, first), request(12, second)]
    expect(usages(await readTask(task, screen))).toEqual(usage)
  })

  it('leaves out requests that were tried in vain', async () => {
    const screen = [
      request(1, { request: 'never answered' }),
      request(2, { tokensIn: 7 }),
      request(3, first),
      request(12, second),
    ]
    const read = await readTask(task, screen)
    expect(usages(read)).toEqual(usage)
    // The provider counted one of them, so it was billed.
    expect(read.traces[0]!.sideCalls).toMatchObject([{ kind: 'taken-back', usage: { input: 7 }, line: 4 }])
  })

  it('bills what the screen counts beside the responses', async () => {
    const counted = (say: string, tokensIn: number) => ({ ...request(15, { tokensIn }), say })
    const screen = [
      request(1, first),
      request(12, second),
      counted('deleted_api_reqs', 30),
      counted('subagent_usage', 40),
      counted('text', 50),
      request(21, { tokensIn: 60 }),
    ]
    const { traces } = await readTask(task, screen)
    expect(traces[0]!.sideCalls.map(({ kind, usage }) => [kind, usage.input])).toEqual([
      ['taken-back', 30],
      ['aside', 40],
      ['taken-back', 60],
    ])
  })

  it('bills the request of a task that was stopped before it had an answer', async () => {
    const screen = [request(1, { tokensIn: 200, tokensOut: 100, cancelReason: 'user_cancelled' })]
    const { traces } = await readTask(task.slice(0, 1), screen)
    expect(traces.map((trace) => [trace.requests, trace.sideCalls.length])).toEqual([[0, 1]])
    expect(traces[0]!.sideCalls).toMatchObject([{ kind: 'taken-back', usage: { input: 200, output: 100 } }])
  })

  it('goes by their order where messages have no times', async () => {
    const timeless = task.map(({ ts: _, ...message }) => message)
    expect(usages(await readTask(timeless, [request(1, first), request(2, second)]))).toEqual(usage)
  })

  it('counts nothing without that file, or where it is no such list', async () => {
    for (const screen of [undefined, '[{', {}, [null, 1, { type: 'say', say: 'api_req_started', text: '{' }]]) {
      expect(usages(await readTask(task, screen))).toEqual([null, null])
    }
  })
})

describe('what Cline cut from the window', () => {
  const task = [
    user(0, 'Mend the lamp.'),
    said(1, 'I look.'),
    user(2, 'Well?'),
    said(3, 'A loose wire.'),
    user(4, 'And now?'),
    said(5, 'Mended.'),
    user(6, 'Good.'),
    said(7, 'Yes.'),
  ]
  const shown = (index: number, range?: unknown) => ({
    ...{ ts: at, type: 'say', say: 'text', text: 'Hm.', conversationHistoryIndex: index },
    ...(range !== undefined && { conversationHistoryDeletedRange: range }),
  })
  const cutsOf = async (...screen: unknown[]) => (await readTask(task, screen)).traces[0]!.compactions

  it('is told by what is shown of a response, or by what is shown next', async () => {
    const cut = { at: 5, keptFrom: 4, summary: [], head: true, line: 6 }
    expect(await cutsOf(shown(2), shown(3), shown(4, [2, 3]), shown(6, [2, 3]))).toMatchObject([cut])
    expect(await cutsOf(shown(2), shown(3), shown(5, [2, 3]))).toMatchObject([cut])
    const [found] = await cutsOf(shown(4, [2, 3]))
    expect(found?.restored?.map(({ line }) => line)).toEqual([1, 2])
  })

  it('grows, and what is no range is none', async () => {
    expect(await cutsOf(shown(4, [2, 3]), shown(6, [2, 5]))).toMatchObject([
      { at: 5, keptFrom: 4 },
      { at: 7, keptFrom: 6 },
    ])
    for (const range of ['2-3', [2], [3, 2], [0, 3], ['2', '3'], [2, 3.5], null])
      expect(await cutsOf(shown(4, range))).toEqual([])
    // Of what is behind the file nothing is known.
    expect(await cutsOf(shown(4, [2, 90]))).toEqual([])
  })

  it('leaves what the program sent: the first message with its answer, and the rest', async () => {
    const { traces } = await readTask(task, [shown(4, [2, 3])])
    const sent = requests('as-recorded', messagesOf({ traces } as Read), {
      budget: 0,
      compactions: traces[0]!.compactions,
    })
    expect(sent[2]).toEqual(['user: Mend the lamp.', 'assistant: I look.', 'user: And now?'])
    expect(sent[3]).toHaveLength(5)
  })
})

describe("messages of Cline's and Roo's own", () => {
  it('remember a summary and a truncation as compactions', async () => {
    const marked = [
      { ...user(0, 'Is the lamp on?'), condenseParent: 'a' },
      { ...said(1, 'It is.'), condenseParent: 'a' },
      { ...said(2, 'The lamp is on.'), isSummary: true, condenseId: 'a' },
      user(3, 'Dim it.'),
      { ...user(4, '[Sliding window truncation]'), isTruncationMarker: true, truncationId: 'b' },
      said(5, 'Dimmed.'),
    ]
    const result = await readTask(marked)
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 assistant: It is.',
      '4 ?user: Dim it.',
      '6 assistant: Dimmed.',
    ])
    expect(result.traces[0]!.compactions).toMatchObject([
      { at: 2, keptFrom: 2, line: 3 },
      { at: 3, keptFrom: 3, line: 5 },
    ])
  })

  it('put reasoning that stands in front of a response into it', async () => {
    const reasoning = { type: 'reasoning', role: 'assistant', encrypted_content: 'xxxx', summary: [], ts: at }
    const [, response] = messagesOf(await readTask([user(0, 'Hi.'), reasoning, said(1, 'Hello.')]))
    expect(response?.blocks).toMatchObject([{ type: 'opaque', bytes: 4 }, { type: 'text' }])
  })

  it('start no exchange with a result that is text, unless the user says something in it', async () => {
    const result = await readRecords(
      [
        user(0, '<task>Is the lamp on?</task>'),
        said(1, '<read_file><path>lamp.md</path></read_file>'),
        user(2, "[read_file for 'lamp.md'] Result:\n\non"),
        said(3, '<attempt_completion><result>On.</result></attempt_completion>'),
        user(4, '[attempt_completion] Result:\n\n<feedback>Dim it.</feedback>'),
        said(5, 'Dimmed.'),
      ],
      'anthropic-messages',
    )
    expect(exchangesOf(result)).toEqual(['1 complete', '5 complete'])
  })
})
