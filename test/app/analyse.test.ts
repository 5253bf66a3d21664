import { existsSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readTraces, simulateSources } from '../../src/app/analyse.ts'
import { recommendSources } from '../../src/app/answer/recommend.ts'
import { readSources, type Unread } from '../../src/app/files/read-sources.ts'
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import bytes from '../../src/estimators/bytes.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { openFile, type Source } from '../../src/readers/lines/source.ts'

const plan: Plan = {
  policies: [{ plugin: keepAll, values: {} }],
  estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
  budgets: [1000],
  preamble: 'auto',
  model: null,
  provider: null,
  native: false,
}

const chat = '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n'
const good = (name: string): Source => ({ name, chunks: [Buffer.from(chat)] })

describe('many sources', () => {
  const sources = () => [good('first'), { name: 'bad', chunks: failing() }, good('last')]

  /** Throws after a whole transcript, as a bug in a reader would. */
  function* failing() {
    yield Buffer.from(chat)
    throw new TypeError('a bug')
  }

  function told(): { unread: Unread; failures: string[] } {
    const failures: string[] = []
    return { failures, unread: (source, error) => void failures.push(`${source.name}: ${(error as Error).name}`) }
  }

  it('are simulated though one of them comes upon a bug, of which nothing is counted', async () => {
    const { unread, failures } = told()
    const { runs, totals } = await simulateSources(sources(), plan, { format: 'auto' }, unread)
    expect(runs.map(({ transcript }) => transcript)).toEqual(['first', 'last'])
    expect(totals[0]?.transcripts).toBe(2)
    expect(failures).toEqual(['bad: TypeError'])
  })

  it('count as far as they are accepted, and of one that is not nothing is told', async () => {
    const torn = { name: 'torn', chunks: [Buffer.from(`${chat}{"torn`)] }
    const accepts = (trace: Trace, source: Source) => trace.length === 2 && source.name !== 'torn'
    const { runs, diagnostics } = await simulateSources([good('first'), torn], plan, { accepts })
    expect(runs.map(({ transcript }) => transcript)).toEqual(['first'])
    expect(diagnostics).toEqual([])
  })

  it('make a recommendation though one of them comes upon a bug, of which nothing is counted', async () => {
    const { unread, failures } = told()
    const { decisions } = await recommendSources(sources(), plan, { format: 'auto' }, unread)
    expect(decisions).toMatchObject([{ transcripts: 2, requests: 2 }])
    expect(failures).toEqual(['bad: TypeError'])
  })

  it('are read though what is taken of one of them fails', async () => {
    const { unread, failures } = told()
    const take = ({ head }: { head: { file: string } }) => {
      if (head.file === 'first') throw new RangeError('too deep')
      return [head.file]
    }
    const taken: string[] = []
    const readAll = [good('first'), good('last')]
    for await (const read of readSources(readAll, plan, { format: 'auto' }, take, unread)) taken.push(...read.taken)
    expect({ taken, failures }).toEqual({ taken: ['last'], failures: ['first: RangeError'] })
  })

  it('throw what the first one throws where nobody wants to be told', async () => {
    await expect(simulateSources(sources(), plan, { format: 'auto' })).rejects.toThrow('a bug')
  })

  it('are refused together where no reader has the name that was asked for', async () => {
    const { unread, failures } = told()
    await expect(simulateSources(sources(), plan, { format: 'codexx' }, unread)).rejects.toMatchObject({
      code: 'unknown-name',
    })
    expect(failures).toEqual([])
  })

  it.each<[string, string | Buffer, string]>([
    ['NUL bytes', '\0'.repeat(9), 'it is nothing but NUL bytes'],
    ['no JSON', 'x\n{"a\n', 'none of its 2 lines is JSON'],
    [
      'a line too deep',
      '['.repeat(20_000),
      '1 of its lines is damaged, and nothing is left (line 1: more than 10,000 brackets',
    ],
    [
      'one of those among others',
      `x\n${'['.repeat(20_000)}`,
      '2 of its lines are damaged, and nothing is left (line 2: more than',
    ],
    [
      'a torn .gz',
      gzipSync(' '.repeat(200_000)).subarray(0, -9),
      '1 of its lines is damaged (its compressed data is damaged or cut off), and nothing is left',
    ],
    [
      'a .gz torn behind records without a message',
      gzipSync(`{"messages":[7]}\n${' '.repeat(200_000)}`).subarray(0, -9),
      '2 of its lines are damaged (its compressed data is damaged or cut off), and the rest has no message',
    ],
    ['records without a message', 'x\n{"messages":[7]}\n', '2 of its lines are damaged, and the rest has no message'],
  ])('are told truly why there is no transcript in one: %s', async (_, text, why) => {
    const source = { name: 'lost', chunks: [Buffer.from(text)] }
    await expect(simulateSources([source], plan, { format: 'openai-chat' })).rejects.toThrow(
      `lost: it holds no transcript: ${why}`,
    )
  })

  it.each(['', ' \n\n', '[]', '{"messages":[]}'])(
    'may be an empty transcript, which adds nothing: %j',
    async (text) => {
      const empty = { name: 'empty', chunks: [Buffer.from(text)] }
      const all = [empty, { name: 'chat', chunks: [Buffer.from(chat)] }]
      for (const format of ['auto', 'openai-chat']) {
        expect((await simulateSources(all, plan, { format })).runs.map(({ transcript }) => transcript)).toEqual([
          'chat',
        ])
        const { unread, failures } = told()
        await simulateSources([empty], plan, { format }, unread)
        expect(failures).toEqual(['empty: CtxwinError'])
      }
    },
  )

  it.each<[string, Buffer, string]>([
    [
      'from the start',
      gzipSync(chat).subarray(0, 11),
      'lost: it holds no transcript: its compressed data is damaged or cut off from the start',
    ],
    [
      'behind records of no format',
      gzipSync(`{"lamp":1}\n${' '.repeat(200_000)}`).subarray(0, -9),
      'lost: it holds no transcript: 1 of its lines is damaged (its compressed data is damaged or cut off), and no',
    ],
  ])('are told where compressed data is torn: %s', async (_, bytes, why) => {
    const source = { name: 'lost', chunks: [bytes] }
    await expect(simulateSources([source], plan, { format: 'auto' })).rejects.toThrow(why)
  })

  it('may have a file with more damaged lines than a call has room for arguments', async () => {
    const damaged = { name: 'damaged', chunks: [Buffer.from(chat + 'x\n'.repeat(150_000))] }
    const { runs } = await simulateSources([damaged], plan, { format: 'auto' })
    expect(runs[0]?.damagedLines).toBe(150_000)
  })
})

describe('the largest request of the recorded agent', () => {
  const folders = [
    'fixtures/claude-code',
    'fixtures/codex',
    'fixtures/pi',
    'fixtures/opencode',
    '../shared/corpus/claude-code/PackmindHub__context-evaluator',
  ]
  const files = folders.filter(existsSync).flatMap((folder) => readdirSync(folder).map((file) => `${folder}/${file}`))

  it('is as large as the provider counted it, and is over a budget where that says so', async () => {
    const auto = { estimators: [choose(estimators.get('auto'))], budgets: [10_000] }
    let compared = 0
    for (const file of files.filter((name) => name.endsWith('l'))) {
      const largest = new Map<string, { peak: number; over: number }>()
      for await (const trace of readTraces([openFile(file)], {}, () => {})) {
        const inputs = Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input)
        if (inputs.length === 0 || inputs.includes(undefined)) continue
        const peak = Math.max(...(inputs as number[]))
        largest.set(String(trace.head.conversation), {
          peak,
          over: inputs.filter((input) => (input ?? 0) > 10_000).length,
        })
      }
      const asIs = { ...auto, policies: [choose(policies.get('as-recorded'))] }
      const { runs } = await simulateSources([openFile(file)], asIs, {}, () => {})
      for (const { conversation, peakTokens, overBudgetRequests } of runs) {
        const recorded = largest.get(String(conversation))
        if (!recorded) continue
        compared++
        expect({ peak: peakTokens, over: overBudgetRequests }, `${file} ${conversation}`).toEqual(recorded)
      }
    }
    expect(compared).toBeGreaterThan(10)
  })
})
