/** What is said of recorded compactions, held against the raw records and against `spend`. */
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { compactionSums } from '../../../src/app/bill/compaction-sums.ts'
import { compactionsIn } from '../../../src/app/bill/session-spending.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { choose, estimators, openFile, type Source, type Trace } from '../../../src/app/index.ts'
import { billedSideCalls } from '../../../src/measures/spent.ts'
import type { CompactionSpending } from '../../../src/model/spending.ts'
import { builtinModels } from '../../../src/models/lookup.ts'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true, copies: true }
const sum = <T>(list: readonly T[], value: (one: T) => number | null): number =>
  list.reduce((total, one) => total + (value(one) ?? 0), 0)
/** Each row may lose half a millionth of a dollar. */
const cents = 4

async function tracesOf(source: Source): Promise<Trace[]> {
  const traces: Trace[] = []
  const take = (trace: Trace): [] => {
    traces.push(trace)
    return []
  }
  for await (const _ of readSources([source], plan, { keepMessages: true }, take, () => {}));
  return traces
}

const spendingOf = (source: Source, behind: boolean) =>
  spend(
    readingHere([source], {}, () => {}),
    plan,
    1000,
    behind ? 'compactions' : null,
  )

const programs = ['claude-code', 'codex', 'opencode', 'pi', 'gemini-cli', 'copilot-cli', 'anthropic-messages']
const files = programs.flatMap((program) =>
  readdirSync(`fixtures/${program}`).map((name) => `fixtures/${program}/${name}`),
)

describe.each(files)('%s', (file) => {
  it('has a row for each compaction, and the rows are all that was spent', async () => {
    const { total, compactions, causes } = await spendingOf(openFile(file), true)
    const own = compactions.filter(({ of }) => of === 'compaction')
    const traces = await tracesOf(openFile(file))
    expect(own.length).toBe(sum(traces, (trace) => trace.compactions.length))
    expect(compactions.at(-1)?.of).toBe('rest')
    expect(sum(compactions, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
    const caused = causes.find(({ cause }) => cause === 'compaction')
    expect(sum(own, ({ rewrittenUsd }) => rewrittenUsd)).toBeCloseTo(caused?.usd ?? 0, cents)
    expect(sum(own, ({ rewrittenTokens }) => rewrittenTokens)).toBe(caused?.tokens ?? 0)
    const wrote = traces
      .filter((trace) => trace.compactions.length > 0)
      .flatMap((trace) => {
        const billed = billedSideCalls(trace, null, builtinModels)
        return billed.filter((_, index) => trace.sideCalls[index]?.kind === 'summary')
      })
    const costs = wrote.map(({ cost }) => (cost === null ? 0 : sum(Object.values(cost), (one) => one)))
    expect(sum(own, ({ summaryUsd }) => summaryUsd)).toBeCloseTo(
      sum(costs, (one) => one),
      cents,
    )
  })

  it('is told alike with and without what was read again', async () => {
    const [with_, without] = await Promise.all([true, false].map((behind) => spendingOf(openFile(file), behind)))
    const bare = (one: CompactionSpending) => ({
      ...one,
      rereads: null,
      rereadsBefore: null,
      heldContent: null,
      heldNamed: null,
      heldCopied: null,
      mishaps: null,
      mishapsBefore: null,
    })
    expect(without?.compactions).toEqual(with_?.compactions.map(bare))
    expect(without?.total).toEqual(with_?.total)
  })

  it('is the same in history', async () => {
    const { compactions } = await spendingOf(openFile(file), true)
    const rows = (await tracesOf(openFile(file))).flatMap((trace) => compactionsIn(trace, plan))
    const bare = ({ percent: _, ...one }: CompactionSpending) => JSON.stringify(one)
    expect(rows.map(bare).sort()).toEqual(
      compactions
        .filter(({ of }) => of === 'compaction')
        .map(bare)
        .sort(),
    )
  })
})

describe('sums by program', () => {
  const measured = [
    'rereads',
    'rereadsBefore',
    'heldContent',
    'heldNamed',
    'heldCopied',
    'mishaps',
    'mishapsBefore',
  ] as const
  const figure = fc.option(fc.nat(1000), { nil: null })
  const block = (keys: readonly string[]) =>
    fc.option(fc.record(Object.fromEntries(keys.map((key) => [key, fc.nat(1000)]))), { nil: null })
  const rows = fc.array(
    fc.record({
      of: fc.constant('compaction' as const),
      format: fc.constantFrom('claude-code', 'codex-exec', 'codex', 'openai-chat'),
      transcript: fc.constantFrom('a', 'b'),
      tokensBefore: figure,
      tokensAfter: figure,
      rewrittenTokens: fc.nat(1000),
      usd: figure,
      ...Object.fromEntries(measured.map((key) => [key, block(['one', 'other'])])),
    }),
  ) as unknown as fc.Arbitrary<CompactionSpending[]>

  it('are of the rows of a program, one figure after the other', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const programs = { 'claude-code': 'claude-code', 'codex-exec': 'codex', codex: 'codex' } as const
        const programOf = ({ format }: CompactionSpending) => programs[format as keyof typeof programs] ?? null
        const sums = compactionSums(all)
        expect(sums.map(({ compactions }) => compactions)).toEqual(
          sums.map(({ compactions }) => compactions).sort((a, b) => b - a),
        )
        expect(new Set(sums.map(({ program }) => program))).toEqual(new Set(all.map(programOf)))
        for (const one of sums) {
          const own = all.filter((row) => programOf(row) === one.program)
          expect(one.compactions).toBe(own.length)
          expect(one.transcripts).toBe(new Set(own.map(({ transcript }) => transcript)).size)
          expect(one.rewrittenTokens).toBe(sum(own, ({ rewrittenTokens }) => rewrittenTokens))
          const isKnown = own.some(({ usd }) => usd !== null)
          expect(one.usd).toBe(isKnown ? sum(own, ({ usd }) => usd) : null)
          for (const key of ['tokensBefore', 'tokensAfter'] as const) {
            const known = own.flatMap((row) => row[key] ?? [])
            const median = one[key]
            expect(median === null).toBe(known.length === 0)
            if (median === null) continue
            expect(2 * known.filter((value) => value < median).length).toBeLessThanOrEqual(known.length)
            expect(2 * known.filter((value) => value > median).length).toBeLessThan(known.length)
          }
          for (const key of measured) {
            const known = own.flatMap((row) => (row[key] ?? []) as { one: number; other: number } | [])
            expect(one[key]).toEqual(
              known.length === 0
                ? null
                : { one: sum(known, (each) => each.one), other: sum(known, (each) => each.other) },
            )
          }
        }
      }),
    )
  })
})

/** What an agent does next: reads a file, or compacts with a summary that names some of the files. */
type Deed = { readonly read: number } | { readonly names: readonly number[]; readonly quotes?: string } | Edit
/** Of file 0. */
interface Edit {
  readonly old: string
}

const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ read: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ names: fc.uniqueArray(fc.nat(5)) }) },
  ),
  { minLength: 1, maxLength: 60 },
)
const nameOf = (file: number): string => `/home/ada/app/src/${'abcdef'[file]}part.ts`

/** What every file holds. */
const lines = [
  'the first of these lines is long enough',
  'the second of them is just as long',
  'and so is the third one of them all',
]
const text = lines.join('\n')

const callOf = (deed: { readonly read: number } | Edit): object =>
  'old' in deed
    ? { name: 'Edit', input: { file_path: nameOf(0), old_string: deed.old, new_string: 'nothing' } }
    : { name: 'Read', input: { file_path: nameOf(deed.read) } }

/** A session of Claude Code: each read is a request of its own. */
function sessionOf(done: readonly Deed[]): Source {
  const records: object[] = []
  let parentUuid: string | null = null
  const add = (type: string, rest: object, isRoot = false): void => {
    const uuid = `u${records.length}`
    records.push({
      type,
      uuid,
      parentUuid: isRoot ? null : parentUuid,
      ...(isRoot && { logicalParentUuid: parentUuid }),
      sessionId: 's',
      cwd: '/home/ada/app',
      timestamp: new Date(1.77e12 + 6e4 * records.length).toISOString(),
      ...rest,
    })
    parentUuid = uuid
  }
  add('user', { message: { role: 'user', content: 'Go on.' } })
  for (const [at, deed] of done.entries()) {
    if ('names' in deed) {
      add('system', { subtype: 'compact_boundary', content: 'Conversation compacted' }, true)
      const content = `So far: ${deed.names.map(nameOf).join(' ')} and no more.\n${deed.quotes ?? ''}`
      add('user', { isCompactSummary: true, message: { role: 'user', content } })
      continue
    }
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 500,
      output_tokens: 10,
    }
    add('assistant', {
      requestId: `r${at}`,
      message: {
        id: `m${at}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'tool_use', id: `t${at}`, ...callOf(deed) }],
        usage,
      },
    })
    const result = { type: 'tool_result', tool_use_id: `t${at}`, content: 'old' in deed ? 'done' : text }
    add('user', { message: { role: 'user', content: [result] } })
  }
  return { name: 'a.jsonl', chunks: [Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''))] }
}

/** By compaction: reads of known files in 15 requests around it, and the files named again that only the summary still named. */
function slowly(done: readonly Deed[]) {
  const reads: { readonly file: number; readonly known: boolean }[] = []
  const cuts: { readonly at: number; readonly names: readonly number[] }[] = []
  const seen = new Set<number>()
  for (const deed of done) {
    if ('names' in deed) {
      cuts.push({ at: reads.length, names: deed.names })
      continue
    }
    if ('old' in deed) continue
    reads.push({ file: deed.read, known: seen.has(deed.read) })
    seen.add(deed.read)
  }
  return cuts.map(({ at, names }, nth) => {
    const from = Math.max(cuts[nth - 1]?.at ?? 0, at - 15)
    const next = cuts[nth + 1]?.at ?? reads.length
    const to = Math.min(next, at + 15)
    const again = (one: number, other: number) => ({
      over: other - one,
      requests: reads.slice(one, other).filter(({ known }) => known).length,
    })
    // A file that is read is in the window from then on, so that its first read behind the cut is the only use that finds it gone.
    const before = new Set(reads.slice(0, at).map(({ file }) => file))
    const used = [...new Set(reads.slice(at, next).map(({ file }) => file))].filter((file) => before.has(file))
    return {
      rereads: again(at, to),
      rereadsBefore: again(from, at),
      named: { used: used.length, kept: used.filter((file) => names.includes(file)).length },
    }
  })
}

describe('what was read again, and what was held', () => {
  it('is what a look at each deed counts', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (done) => {
        const [trace] = await tracesOf(sessionOf(done))
        const rows = trace === undefined ? [] : compactionsIn(trace, plan)
        const slow = slowly(done)
        expect(rows.length).toBe(trace === undefined ? 0 : slow.length)
        const isReread = slow.some(({ rereads, rereadsBefore }) => rereads.requests + rereadsBefore.requests > 0)
        for (const [nth, row] of rows.entries()) {
          const { rereads, rereadsBefore, named } = slow[nth] as (typeof slow)[number]
          const bare = (one: CompactionSpending['rereads']) => one && { over: one.over, requests: one.requests }
          if (isReread) {
            expect(bare(row.rereads)).toEqual(rereads)
            expect(bare(row.rereadsBefore)).toEqual(rereadsBefore)
          }
          expect(row.heldNamed).toEqual(named)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('holds the text that the summary quotes, and no other', async () => {
    const [first, second, third] = lines as [string, string, string]
    const cut = { names: [0], quotes: `it said\n${first}` }
    const edits = [first, second, third].map((old) => ({ old }))
    const [trace] = await tracesOf(sessionOf([{ read: 0 }, cut, ...edits]))
    const [row] = compactionsIn(trace as Trace, plan)
    expect(row?.heldContent).toEqual({ used: 3, kept: 1 })
  })

  it('holds what was copied where the summary has three quarters of it', async () => {
    const [first, second, third] = lines as [string, string, string]
    // An edit says both lines at once, as they stand in the file; of the third there is too little to be a copy.
    const edits = [`${first}\n${second}`, `${second}\n${third}`, third].map((old) => ({ old }))
    const held = async (quotes: string) => {
      const [trace] = await tracesOf(sessionOf([{ read: 0 }, { names: [0], quotes }, ...edits]))
      return compactionsIn(trace as Trace, plan)[0]?.heldCopied
    }
    expect(await held('it said nothing')).toEqual({ used: 2, kept: 0 })
    expect(await held(`it said\n${first}\n${second}`)).toEqual({ used: 2, kept: 1 })
    expect(await held(`it said\n${text}`)).toEqual({ used: 2, kept: 2 })
  })
})
