import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FullTrace, readTraces, simulateSources } from '../../../src/app/analyse.ts'
import { nothingYet } from '../../../src/app/export/convert.ts'
import { forms } from '../../../src/app/export/forms/index.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { firstCell, type Plan } from '../../../src/app/plan.ts'
import { requestBodyAt } from '../../../src/app/window.ts'
import { choose } from '../../../src/base/chosen.ts'
import type { Message } from '../../../src/model/message.ts'
import { policies } from '../../../src/policies/index.ts'
import { openFile, type Source } from '../../../src/readers/lines/source.ts'
import { blockTokens } from '../../../src/simulator/block-trace.ts'
import { storedRun } from '../../../src/simulator/recorder.ts'
import { transcripts } from '../../laws/transcripts.ts'
import { headOf, traceOf } from '../../simulator/arbitrary.ts'
import { isReadBack, linesOf, planOf, textSource } from './converted.ts'

describe('convert --to ctxwin', () => {
  it.each([
    'claude-code/compaction.jsonl',
    'codex/items.jsonl',
    'duragent/damaged.jsonl',
    'gemini-api/contents.json',
    'goose/counts.json',
    'inspect/media.json',
    'openai-chat/system-inside.jsonl',
  ])('%s is read back to the same runs, and each line is as the schema says', (name) => isReadBack(`fixtures/${name}`))

  it('gives back each message as it was, and a second conversion the same bytes', async () => {
    const form = forms().get('ctxwin')
    await fc.assert(
      fc.asyncProperty(transcripts, fc.array(fc.nat(40), { maxLength: 3 }), async (list, resets) => {
        const trace = traceOf(list, [], 'openai', {
          resets,
          head: { ...headOf('openai'), model: 'gpt-5' },
        }) as FullTrace
        const said = nothingYet()
        const text = [...form.lines(trace, planOf([], []), said.unheld, 0)].map((line) => `${JSON.stringify(line)}\n`)
        const source = textSource('text', text.join(''))
        const read: FullTrace[] = []
        for await (const one of readTraces([source])) read.push(one)
        const without = (messages: readonly Message[]) => messages.map(({ line: _, ...message }) => message)
        expect(without(read[0]?.messages ?? [])).toEqual(without(trace.messages))
        const isReset = (of: FullTrace) => list.map((_, index) => of.isReset(index))
        expect(isReset(read[0] as FullTrace)).toEqual(isReset(trace))
        expect(await linesOf(textSource('text', text.join('')), 'ctxwin', planOf([], []))).toBe(text.join(''))
      }),
      { numRuns: 40 },
    )
  })

  it('says in a line what is none of its records', async () => {
    const text = readFileSync('fixtures/ctxwin/converted.jsonl', 'utf8').split('\n')
    text[1] = JSON.stringify({ message: { role: 'user', blocks: [{ type: 'text' }] } })
    const simulation = await simulateSources([textSource('text', text.join('\n'))], planOf(['keep-all'], [0]))
    expect(simulation.diagnostics.map(({ code, line }) => `${code}@${line}`)).toContain('bad-record@2')
  })
})

describe('convert --to mooncake', () => {
  it.each([
    ['keep-all', 0],
    ['drop-messages', 16_000],
    ['ikigai', 16_000],
    ['mask-tool-results', 12_000],
    ['summarise-oldest', 16_000],
  ] as const)(
    'under %s, the blocks that requests share are those that the prompt cache serves',
    async (name, budget) => {
      const file = 'fixtures/claude-code/refactor.jsonl'
      // As the price lists promise, and never cold.
      const plan: Plan = { ...planOf([name], [budget]), cache: 'ideal' }
      const text = await linesOf(openFile(file), 'mooncake', plan)
      const requests = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { hash_ids: number[]; input_length: number })
      const take = (trace: unknown) => [storedRun(trace as FullTrace, firstCell(trace as FullTrace, plan), false)]
      const seen = new Set<number>()
      let [compared, shared] = [0, 0]
      for await (const { taken } of readSources([openFile(file)], plan, { keepMessages: true }, take)) {
        const stored = taken[0]?.requests ?? []
        expect(requests.map(({ input_length }) => input_length)).toEqual(stored.map(({ sentTokens }) => sentTokens))
        for (const [index, { bill, sentTokens }] of stored.entries()) {
          const { hash_ids } = requests[index] as (typeof requests)[number]
          expect(hash_ids).toHaveLength(Math.ceil(sentTokens / blockTokens))
          // A block that is not full has another number once it is.
          const full = hash_ids.slice(0, Math.floor(sentTokens / blockTokens))
          const hits = full.findIndex((id) => !seen.has(id))
          const blocks = hits < 0 ? full.length : hits
          for (const id of hash_ids) seen.add(id)
          // Nothing is served of an expired cache, and nothing below the minimum: blocks know neither.
          if (bill.cached === 0) continue
          compared++
          shared += blocks
          expect(blocks).toBe(Math.floor(bill.cached / blockTokens))
        }
      }
      expect(compared).toBeGreaterThan(10)
      expect(shared).toBeGreaterThan(0)
    },
  )
})

describe('convert --to openai and anthropic', () => {
  const file = 'fixtures/claude-code/refactor.jsonl'

  it.each(['keep-all', 'drop-messages', 'mask-tool-results', 'summarise-oldest'])(
    'under %s, each line is the body that `window` prints of that request',
    async (name) => {
      const plan = planOf([name], [16_000])
      const text = await linesOf(openFile(file), 'anthropic', plan)
      for await (const trace of readTraces([openFile(file)], { plan })) {
        const lines = text.split('\n')
        expect(lines).toHaveLength(trace.requests + 2)
        // Each body is a replay of its own: of every third request, and of the one that comes next.
        for (const [request, line] of lines.slice(0, -1).entries())
          if (request % 3 === 0 || request === trace.requests)
            expect(line).toBe(JSON.stringify(requestBodyAt(trace, plan, request)))
      }
    },
  )

  it('replays a transcript once, however many requests it has', async () => {
    const policy = policies.get('drop-messages')
    let replays = 0
    const counted: typeof policy = {
      ...policy,
      start(...known) {
        replays++
        return policy.start(...known)
      },
    }
    const plan = { ...planOf([], [16_000]), policies: [choose(counted)] }
    const text = await linesOf(openFile(file), 'openai', plan)
    expect(text.split('\n').length).toBeGreaterThan(10)
    expect(replays).toBe(1)
  })
})

describe('convert', () => {
  it('writes requests that the reader of their form reads back to as many requests', async () => {
    const file = 'fixtures/openai-chat/tools.jsonl'
    const plan = planOf(['keep-all'], [0])
    const requestsOf = async (source: Source, format: string) =>
      (await simulateSources([source], plan, { format })).runs.reduce((sum, { requests }) => sum + requests, 0)
    const truth = await requestsOf(openFile(file), 'auto')
    for (const [form, format] of [
      ['openai', 'openai-chat'],
      ['anthropic', 'anthropic-messages'],
      ['atif', 'atif'],
    ] as const) {
      const text = await linesOf(openFile(file), form, plan)
      expect({ form, requests: await requestsOf(textSource('text', text), format) }).toEqual({ form, requests: truth })
    }
  })
})
