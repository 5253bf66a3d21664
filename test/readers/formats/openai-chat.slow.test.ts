/** What takes its time: recorded data sets, and an array of very many messages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf, readText } from '../reading.ts'
import { expectExact, type Recorded } from './openai-chat-requests.ts'

it('reads an array of more messages than a call can have arguments', async () => {
  const messages = Array.from({ length: 200_000 }, () => ({ role: 'user', content: '' }))
  expect((await readText(JSON.stringify(messages))).traces.map((trace) => trace.length)).toEqual([200_000])
})

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'

describe.skipIf(!existsSync(corpus))('real files, to the byte', () => {
  const filesOf = (folder: string, extension: string) =>
    readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(extension))
      .map((name) => readFileSync(join(corpus, folder, name), 'utf8'))

  it('training sets and logs are read as they were sent', async () => {
    for (const text of filesOf('openai-finetune', '.jsonl')) {
      const records = linesOf(text)
      const grows = records[0].metadata?.request_index !== undefined
      await expectExact(text, grows ? records.slice(-1) : records)
    }
  })

  it('arrays of conversations are read as they were sent', async () => {
    for (const text of [...filesOf('openai-finetune-array', '.json'), ...filesOf('tau-bench', '.json')]) {
      const records: { messages?: Recorded['messages']; traj: Recorded['messages'] }[] = JSON.parse(text)
      await expectExact(
        text,
        records.map(({ messages, traj }) => ({ messages: messages ?? traj })),
      )
    }
  })
})
