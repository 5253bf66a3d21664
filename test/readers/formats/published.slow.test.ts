/** Transcripts that people publish: what each records as usage, against a recount of a few lines. Skipped without the corpus. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import { linesOf, readSource } from '../reading.ts'

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'

interface Counts {
  requests: number
  input: number
  output: number
}

/** What JSON holds, of any shape. */
type Values = ReturnType<typeof JSON.parse>

const documentOf = (text: string): Values => JSON.parse(text)

/** The recount of a file of each kind; null for a file that holds something else. */
const recounts: Readonly<Record<string, (text: string) => readonly Omit<Counts, 'requests'>[] | null>> = {
  'cline-ui-messages': (text) =>
    (documentOf(text) as Values[])
      .filter(({ say }) => say === 'api_req_started')
      .map(({ text: counts }) => documentOf(counts))
      .filter(({ tokensIn, cacheReads }) => tokensIn + cacheReads > 0)
      .map((each) => ({ input: each.tokensIn + each.cacheReads + each.cacheWrites, output: each.tokensOut })),
  'kimi-context': (text) => {
    const records = linesOf(text).filter(({ role }) => role !== '_checkpoint')
    return records.flatMap(({ role }, index) => {
      const [before, behind] = [records[index - 1], records[index + 1]]
      if (role !== 'assistant' || before?.role !== '_usage' || behind?.role !== '_usage') return []
      return [{ input: before.token_count, output: behind.token_count - before.token_count }]
    })
  },
  'langfuse-traces': (text) => {
    const { observations } = documentOf(text)
    if (!Array.isArray(observations)) return null
    const byId = new Map<unknown, Values>(observations.map((each) => [each.id, each]))
    const outer = new Set<unknown>()
    const generations = observations.filter(({ type }) => type === 'GENERATION')
    for (const { parentObservationId } of generations) {
      for (let at = byId.get(parentObservationId); at; at = byId.get(at.parentObservationId)) outer.add(at.id)
    }
    return generations
      .filter(({ id, usageDetails }) => !outer.has(id) && usageDetails?.output !== undefined)
      .map(({ usageDetails: counts }) => {
        const isWhole = counts.total === counts.input + counts.output
        const sum = (name: string) =>
          Object.keys(counts).reduce(
            (all, key) => all + (key === name || (!isWhole && key.startsWith(`${name}_`)) ? counts[key] : 0),
            0,
          )
        return { input: sum('input'), output: sum('output') }
      })
  },
  'managed-agents-events': (text) =>
    linesOf(text)
      .map(({ raw }) => raw)
      .filter(({ type }) => type === 'span.model_request_end')
      .map(({ model_usage: counts }) => ({
        input: counts.input_tokens + counts.cache_read_input_tokens + counts.cache_creation_input_tokens,
        output: counts.output_tokens,
      })),
}

function filesIn(kind: string): string[] {
  const root = join(corpus, kind)
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.jsonl?$/.test(file))
    .map((file) => join(root, file))
}

it.for(Object.keys(recounts))('%s: usage as it was recorded', async (kind, { skip }) => {
  const files = filesIn(kind)
  if (files.length === 0) skip()
  for (const file of files) {
    const wanted = recounts[kind]?.(readFileSync(file, 'utf8'))
    if (!wanted) continue
    const { traces } = await readSource(openFile(file))
    const usages = traces.flatMap((trace) =>
      Array.from({ length: trace.requests }, (_, request) => trace.usage(request)).filter((usage) => usage !== null),
    )
    const sum = (counts: readonly Omit<Counts, 'requests'>[]): Counts => ({
      requests: counts.length,
      input: counts.reduce((all, { input }) => all + input, 0),
      output: counts.reduce((all, { output }) => all + output, 0),
    })
    expect(sum(usages)).toEqual(sum(wanted))
  }
})
