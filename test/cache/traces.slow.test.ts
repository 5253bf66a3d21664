import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { afterAll, describe, expect, it } from 'vitest'
import { readingHere } from '../../src/app/analysis.ts'
import { recommend } from '../../src/app/answer/recommend.ts'
import { readSessions } from '../../src/app/bill/sessions.ts'
import { keptOf, type ReadSettings } from '../../src/app/files/read-sources.ts'
import type { TraceCache, TraceDraft } from '../../src/app/files/trace-cache.ts'
import { choose, estimators, openFile, policies, type Source, simulateSources } from '../../src/app/index.ts'
import { report } from '../../src/app/page/report.ts'
import { draftName } from '../../src/cache/key.ts'
import { openTraceCache, type TraceFiles } from '../../src/cache/traces.ts'
import { agentCalls } from '../../src/measures/agent-calls.ts'
import type { Trace } from '../../src/model/trace.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { references } from '../../src/references/digest.ts'
import { runCli } from '../cli/run.ts'
import { keptIn } from './kept.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-traces-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const session = 'fixtures/claude-code/refactor.jsonl'
/** What is written to now is too young to be kept: by this clock it is not. */
const later = (): number => Date.now() + 60_000

/** Nothing has been appended to the file for so long that no checkpoint is kept of it. */
const age = (file: string): void => utimesSync(file, 1e9, 1e9)

let count = 0
/** A directory of its own, with a transcript of long ago. */
function folder(): { readonly file: string; readonly directory: string; readonly settings: TraceFiles } {
  const place = join(root, String(count++))
  mkdirSync(place)
  const file = join(place, 'session.jsonl')
  copyFileSync(session, file)
  age(file)
  const directory = join(place, 'kept', 'traces')
  return { file, directory, settings: { directory, limit: 1e9, build: 'this', now: later } }
}

const plan = {
  policies: [choose(policies.get('ikigai'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [2000],
  references: true,
}

/** A source that fails where its content is read. */
function unread(file: string): Source {
  // biome-ignore lint/correctness/useYield: it always throws
  function* chunks(): Generator<never> {
    throw new TypeError('it was read')
  }
  return { ...openFile(file), chunks: { [Symbol.iterator]: chunks } }
}

/** @returns what is printed of a transcript, which is read only if nothing is kept of it */
async function printed(source: Source, settings: TraceFiles | null, more: object = {}): Promise<string> {
  const traces = settings && openTraceCache(settings)
  return JSON.stringify(await simulateSources([source], { ...plan, ...more }, { traces }))
}

describe('a file that grows', () => {
  const text = readFileSync(session)
  const end = text.lastIndexOf(10, text.length - 2) + 1

  /** A file that has been read without its last line. */
  async function begun() {
    const place = folder()
    writeFileSync(place.file, text.subarray(0, end))
    await printed(openFile(place.file), place.settings)
    return place
  }

  it('is read on from where it stopped, and comes to what it is whole', async () => {
    const { file, directory, settings } = await begun()
    for (const rest of [text.subarray(end), Buffer.from('{"torn'), Buffer.from('":0}\n'), text.subarray(0, end)]) {
      appendFileSync(file, rest)
      const fresh = await printed(openFile(file), null)
      expect(await printed(unread(file), { ...settings, now: Date.now })).toBe(fresh)
      expect(await printed(unread(file), settings)).toBe(fresh)
    }
    expect(keptIn(directory)).toHaveLength(2)
  })

  it.each([agentCalls, references])('is read on with $name', async (digest) => {
    const { file, settings } = folder()
    const kept = async (source: Source, traces: TraceCache | null): Promise<unknown> => {
      const found: unknown[] = []
      const accepts = (trace: Trace) => found.push(structuredClone(trace.digest?.plain())) > 0
      await simulateSources([source], plan, { traces, digest, accepts })
      return found
    }
    writeFileSync(file, text.subarray(0, end))
    await kept(openFile(file), openTraceCache(settings))
    appendFileSync(file, text.subarray(end))
    expect(await kept(unread(file), openTraceCache(settings))).toEqual(await kept(openFile(file), null))
  })

  it.each([
    ['rewritten before the checkpoint', text.toString().replace('"input_tokens":', '"input_tokens":1')],
    ['rewritten with the same size', text.toString().replace(/"input_tokens":\d/, '"input_tokens":9')],
    ['cut off before the checkpoint', text.subarray(0, end - 1)],
  ])('is read anew where it was %s', async (_, other) => {
    const { file, settings } = await begun()
    writeFileSync(file, other)
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
    expect(await printed(openFile(file), settings)).toBe(await printed(openFile(file), null))
  })

  it('is read anew by a run of other settings, and under another name', async () => {
    const { file, settings } = await begun()
    const other = { model: 'gpt-5' }
    await expect(printed(unread(file), settings, other)).rejects.toThrow('it was read')
    await expect(printed({ ...unread(file), name: 'session.jsonl' }, settings)).rejects.toThrow('it was read')
  })

  it('has no checkpoint when nothing was written to it for a day, or it is small, or there is no room', async () => {
    const { directory, file, settings } = await begun()
    expect(keptIn(directory)).toHaveLength(2)
    const kept = async (path: string, limit = settings.limit): Promise<string[]> => {
      rmSync(directory, { recursive: true })
      mkdirSync(directory)
      await printed(openFile(path), { ...settings, limit })
      return keptIn(directory)
    }
    expect(await kept(folder().file)).toHaveLength(1)
    expect(await kept(file, 1000)).toHaveLength(0)
    copyFileSync('fixtures/claude-code/compaction.jsonl', file)
    expect(await kept(file)).toHaveLength(1)
  })

  it('is read anew, and keeps a checkpoint, where that of another run is damaged', async () => {
    const { file, directory, settings } = await begun()
    for (const name of keptIn(directory)) writeFileSync(join(directory, name), 'damaged, and long enough')
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
    await printed(openFile(file), settings)
    appendFileSync(file, text.subarray(end))
    expect(await printed(unread(file), settings)).toBe(await printed(openFile(file), null))
  })

  it('is said to be unreadable as any other', async () => {
    const traces = { ...openTraceCache(folder().settings), checkpointOf: () => ({ find: () => null, keep: () => {} }) }
    const read = simulateSources([openFile(join(root, 'none.jsonl'))], plan, { traces })
    await expect(read).rejects.toThrow('there is no such file')
  })
})

describe('a second run', () => {
  it('reads no file again for another policy or budget, and prints the same', async () => {
    const { file, settings } = folder()
    await printed(openFile(file), settings)
    for (const more of [{}, { budgets: [5000] }, { policies: [choose(policies.get('forge'))] }]) {
      expect(await printed(unread(file), settings, more)).toBe(await printed(openFile(file), null, more))
    }
  })

  it('that measures no references reads nothing again after one that did, and the other way round it does', async () => {
    const { file, settings } = folder()
    const bare = { references: false }
    await printed(openFile(file), settings, bare)
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
    rmSync(settings.directory, { recursive: true })
    await printed(openFile(file), settings)
    expect(await printed(unread(file), settings, bare)).toBe(await printed(openFile(file), null, bare))
  })

  it('takes nothing that was found out without references for what there is with them', async () => {
    const { file, settings } = folder()
    await printed(openFile(file), settings)
    const ideal = { cache: 'ideal' }
    await printed(unread(file), settings, { ...ideal, references: undefined })
    expect(await printed(unread(file), settings, ideal)).toBe(await printed(openFile(file), null, ideal))
  })

  it('is known beforehand to have less to read: of what seems kept for its plan no thread is worth its start', async () => {
    const { file, settings } = folder()
    const source = openFile(file)
    const seemsKept = (more: object = {}): boolean =>
      keptOf([source], { ...plan, ...more }, { traces: openTraceCache(settings) }).has(source)
    expect(seemsKept()).toBe(false)
    await printed(source, settings)
    expect(seemsKept({ budgets: [5000] })).toBe(true)
    expect(seemsKept({ references: false })).toBe(true)
    expect(seemsKept({ model: 'gpt-5' })).toBe(false)
    expect(seemsKept({ policies: [choose(policies.get('mask-tool-results'))] })).toBe(false)
    await setTimeout(20)
    writeFileSync(file, readFileSync(file))
    expect(seemsKept()).toBe(false)
  })

  it('reads it again where that changes what is read', async () => {
    const { file, settings } = folder()
    await printed(openFile(file), settings)
    for (const more of [
      { model: 'gpt-5' },
      { provider: 'openai' },
      { native: true, policies: [choose(policies.get('forge'))] },
      { policies: [choose(policies.get('mask-tool-results'))] },
      { estimators: [choose(estimators.get('bytes')), choose(estimators.get('auto'))] },
      { estimators: [{ ...choose(estimators.get('bytes')), plugin: { ...estimators.get('bytes') } }] },
    ]) {
      await expect(printed(unread(file), settings, more)).rejects.toThrow('it was read')
    }
    for (const how of [
      { format: 'claude-code' },
      { column: 'messages' },
      { branches: true },
      { largestUnpacked: 5 },
      { keepMessages: true },
    ]) {
      const traces = openTraceCache(settings)
      await expect(simulateSources([unread(file)], plan, { ...how, traces })).rejects.toThrow('it was read')
    }
  })

  it('finds nothing of another name of the file, whose transcripts are called by it', async () => {
    const { file, settings } = folder()
    await printed(openFile(file), settings)
    await expect(printed({ ...unread(file), name: 'session.jsonl' }, settings)).rejects.toThrow('it was read')
  })

  it('of another build finds nothing, and keeps it anew in the same place', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    const next = { ...settings, build: 'next' }
    await expect(printed(unread(file), next)).rejects.toThrow('it was read')
    await printed(openFile(file), next)
    await printed(unread(file), next)
    expect(keptIn(directory)).toHaveLength(1)
  })

  it('tells the same of damaged lines', async () => {
    const { file, settings } = folder()
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, [lines[0], '{"torn', ...lines.slice(1)].join('\n'))
    const first = await printed(openFile(file), settings)
    expect(first).toContain('not-json')
    expect(await printed(unread(file), settings)).toBe(first)
  })

  it('says the same of a file that holds no transcript', async () => {
    const { file, settings } = folder()
    writeFileSync(file, '{"type":"summary","summary":"s","leafUuid":"u"}\n{"type":"lamp"}\n')
    const message = /session.jsonl: it holds no transcript: its records have no message of a conversation$/
    await expect(printed(openFile(file), settings)).rejects.toThrow(message)
    await expect(printed(unread(file), settings)).rejects.toThrow(message)
  })
})

describe('what a run has found out', () => {
  const found = { ...plan, estimators: [choose(estimators.get('auto'))], budgets: [5000] }

  /** The parts of an entry, in memory. */
  function memory(): { readonly traces: TraceCache; parts: Uint8Array[]; written: number } {
    const draft = (source: Source): TraceDraft => {
      const drafted: Uint8Array[] = []
      return {
        source,
        add: (part) => drafted.push(part),
        complete() {
          store.parts = drafted
          store.written++
        },
        discard() {},
      }
    }
    const store = {
      parts: [] as Uint8Array[],
      written: 0,
      traces: {
        find: (source: Source) =>
          store.parts.length > 0 ? { parts: store.parts, isCurrent: () => true, redraft: () => draft(source) } : null,
        has: () => store.parts.length > 0,
        checkpointOf: () => null,
        draft,
      },
    }
    return store
  }

  const totals = async (traces: TraceCache | null, more: object = {}) =>
    (await simulateSources([openFile(session)], { ...found, ...more }, { traces })).totals

  it('is kept: what today, the references and the copies come to, how it is counted, and the bill', async () => {
    const store = memory()
    await totals(store.traces, { copies: true })
    const findings = deserialize(store.parts[1] as Uint8Array) as Map<string, unknown>
    expect([...findings.keys()].map((words) => words.split(' ')[0]).sort()).toEqual([
      'bill',
      'calibration',
      'copied',
      'foresight',
      'references',
      'today',
    ])
    for (const [words, known] of findings)
      if (words.startsWith('today')) findings.set(words, { ...(known as object), sentTokens: 123_456_789 })
    store.parts[1] = serialize(findings)
    // Under another policy it is taken from there, and not replayed.
    const [total] = await totals(store.traces, {
      policies: [choose(policies.get('forge'))],
      budgets: [7000],
      copies: true,
    })
    expect(total?.today.sentTokens).toBe(123_456_789)
    expect(store.written).toBe(1)
  })

  it('counts for a policy that needs the text, too: the file is read for that alone', async () => {
    const store = memory()
    const masking = { policies: [choose(policies.get('mask-tool-results')), choose(policies.get('claude-code-auto'))] }
    await totals(store.traces)
    expect(await totals(store.traces, masking)).toEqual(await totals(null, masking))
    expect(store.written).toBe(1)
    const findings = deserialize(store.parts[1] as Uint8Array) as Map<string, unknown>
    for (const [words, known] of findings)
      if (words.startsWith('today')) findings.set(words, { ...(known as object), sentTokens: 123_456_789 })
    store.parts[1] = serialize(findings)
    const [total] = await totals(store.traces, masking)
    expect(total?.today.sentTokens).toBe(123_456_789)
    // And what such a run has measured serves others.
    const other = memory()
    await totals(other.traces, masking)
    expect(await totals(other.traces)).toEqual(await totals(null))
    expect(other.written).toBe(1)
  })

  it('counts for no transcript that is read for its text after the file has changed', async () => {
    const { file, settings } = folder()
    copyFileSync('fixtures/openai-chat/message-a-line-sessions.jsonl', file)
    const masking = { ...found, policies: [choose(policies.get('mask-tool-results'))] }
    const run = (traces: TraceCache | null, accepts = () => true) =>
      simulateSources([openFile(file)], masking, { traces, accepts })
    await run(openTraceCache(settings))
    const before = await run(null)
    let isFirst = true
    const changed = await run(openTraceCache(settings), () => {
      const text = readFileSync(file, 'utf8')
      if (isFirst) writeFileSync(file, text.replaceAll(/"content": ?"/g, '$&And then, as it was said before: '))
      isFirst = false
      return true
    })
    const after = await run(null)
    expect(after.runs[1]?.sentTokens).not.toBe(before.runs[1]?.sentTokens)
    expect(changed.runs).toEqual([before.runs[0], ...after.runs.slice(1)])
  })

  it.each<[string, object]>([
    ['another preamble', { preamble: 30_000 }],
    ['other prices', { prices: { ...builtinModels, models: [] } }],
    ['another behaviour of the prompt cache', { cache: 'ideal' }],
  ])('does not count for %s, which is kept beside it', async (_, more) => {
    const store = memory()
    const first = await totals(store.traces)
    const others = await totals(null, more)
    expect(others).not.toEqual(first)
    for (let time = 0; time < 2; time++) expect(await totals(store.traces, more)).toEqual(others)
    expect(await totals(store.traces)).toEqual(first)
    expect(store.written).toBe(2)
  })

  it('is kept of a file of many transcripts by a run that leaves all out but the last', async () => {
    const store = memory()
    const sources = [openFile('fixtures/openai-chat/message-a-line-sessions.jsonl')]
    const simulate = (accepts?: () => boolean) =>
      simulateSources(sources, found, { traces: store.traces, ...(accepts && { accepts }) })
    const whole = await simulateSources(sources, found)
    expect(whole.runs.length).toBeGreaterThan(1)
    await simulate(() => false)
    let left = whole.runs.length
    await simulate(() => --left === 0)
    expect(await simulate()).toEqual(whole)
    expect(await simulate()).toEqual(whole)
    expect(store.written).toBe(3)
  })
})

describe('what was measured for a decision', () => {
  const masking = { ...plan, policies: [choose(policies.get('mask-tool-results')), choose(policies.get('forge'))] }
  const asked = { policies: masking.policies, budgets: [2000, 5000] }
  const all: Record<string, (sources: Source[], settings: ReadSettings) => Promise<unknown>> = {
    recommend: (sources, settings) => recommend(readingHere(sources, settings), masking, asked),
    overview: (sources, settings) => readSessions(readingHere(sources, settings), masking, { recommends: true }),
    report: (sources, settings) =>
      report(readingHere(sources, settings), masking, {
        text: 'words',
        next: { history: () => 'ctxwin history', recommend: 'ctxwin recommend' },
        onlyAvailable: true,
      }),
  }
  const many = 'fixtures/openai-chat/message-a-line-sessions.jsonl'

  it.each(Object.entries(all))('by %s is kept: a second run reads no text', async (_, run) => {
    const { file, settings } = folder()
    const fresh = await run([openFile(file)], {})
    expect(await run([openFile(file)], { traces: openTraceCache(settings) })).toEqual(fresh)
    expect(await run([unread(file)], { traces: openTraceCache(settings) })).toEqual(fresh)
  })

  it.each(Object.entries(all))(
    'by %s of some transcripts of a file leaves the text of the others to read',
    async (_, run) => {
      const { file, settings } = folder()
      copyFileSync(many, file)
      age(file)
      const fresh = await run([openFile(file)], {})
      for (const chosen of [0, 1]) {
        rmSync(settings.directory, { recursive: true, force: true })
        let nth = 0
        await run([openFile(file)], { traces: openTraceCache(settings), accepts: () => nth++ === chosen })
        expect(await run([openFile(file)], { traces: openTraceCache(settings) })).toEqual(fresh)
        expect(await run([unread(file)], { traces: openTraceCache(settings) })).toEqual(fresh)
      }
    },
  )

  it.each(Object.entries(all))('by %s is not taken for what counts in part in another file', async (_, run) => {
    const { file, settings } = folder()
    const [copy, fork] = [file.replace('session', 'copy'), file.replace('session', 'fork')]
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(fork, lines.slice(0, lines.length / 2).join('\n'))
    copyFileSync(file, copy)
    age(copy)
    age(fork)
    for (const one of [file, copy, fork]) await run([openFile(one)], { traces: openTraceCache(settings) })
    for (const files of [
      [file, copy, fork],
      [fork, copy, file],
    ]) {
      const fresh = await run(files.map(openFile), {})
      expect(await run(files.map(openFile), { traces: openTraceCache(settings) })).toEqual(fresh)
    }
    // Of a whole copy no text is wanted.
    await run([openFile(file), unread(copy)], { traces: openTraceCache(settings) })
  })

  it('seems kept to who knows that no text is wanted', async () => {
    const { file, settings } = folder()
    const source = openFile(file)
    await all.recommend?.([source], { traces: openTraceCache(settings) })
    const seemsKept = (knows?: (trace: Trace) => boolean): boolean =>
      keptOf([source], masking, { traces: openTraceCache(settings) }, knows).has(source)
    expect(seemsKept()).toBe(false)
    expect(seemsKept(() => false)).toBe(false)
    expect(seemsKept(({ head }) => head.file === file)).toBe(true)
  })

  it('is found anew for other candidates, budgets and baselines, and where a policy is the user’s own', async () => {
    const { file, settings } = folder()
    await all.recommend?.([openFile(file)], { traces: openTraceCache(settings) })
    const some = { ...asked, budgets: [2000] }
    const fewer = () => recommend(readingHere([unread(file)], { traces: openTraceCache(settings) }), masking, some)
    expect(await fewer()).toEqual(await recommend(readingHere([openFile(file)], {}), masking, some))
    const own = { ...policies.get('mask-tool-results'), module: 'own.js' }
    for (const [more, other] of [
      [{}, { ...asked, budgets: [3000] }],
      [{}, { ...asked, policies: [choose(policies.get('truncate-tool-results'))] }],
      [{ baseline: { name: 'unpruned', policy: choose(policies.get('keep-all')) } }, asked],
      [{}, { ...asked, policies: [choose(own)] }],
    ] as const) {
      const read = recommend(
        readingHere([unread(file)], { traces: openTraceCache(settings) }),
        { ...masking, ...more },
        other,
      )
      await expect(read).rejects.toThrow('it was read')
    }
  })
})

describe('what is kept', () => {
  it('is for the user alone', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    const [name = ''] = keptIn(directory)
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  })

  it('has none of the text of the conversation but its first words, its terms and what stands in every request', async () => {
    const { file, directory, settings } = folder()
    const secret = 'correct horse battery staple'
    const text = readFileSync(file, 'utf8').replace(/"text":"[^"]{30}/, `$& ${secret}`)
    expect(text).toContain(secret)
    writeFileSync(file, text)
    age(file)
    await printed(openFile(file), settings)
    const { brotliDecompressSync } = await import('node:zlib')
    const [name = ''] = keptIn(directory)
    const bytes = readFileSync(join(directory, name))
    const kept = brotliDecompressSync(bytes.subarray(20, 20 + bytes.readUInt32LE(16))).toString('latin1')
    expect(kept).toContain('claude-code')
    expect(kept).not.toContain(secret)
  })

  it.each<[string, (entry: string) => void]>([
    ['cut off', (entry) => writeFileSync(entry, readFileSync(entry).subarray(0, -1))],
    ['empty', (entry) => writeFileSync(entry, '')],
    ['something else', (entry) => writeFileSync(entry, 'x'.repeat(5000))],
    [
      'changed in one bit',
      (entry) => {
        const bytes = readFileSync(entry)
        bytes[100] = (bytes[100] as number) ^ 1
        writeFileSync(entry, bytes)
      },
    ],
  ])('and is %s is passed over, and replaced', async (_, damage) => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    const [name = ''] = keptIn(directory)
    damage(join(directory, name))
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
    await printed(openFile(file), settings)
    await printed(unread(file), settings)
  })

  it('is found at the place of another entry by nobody', async () => {
    const { file, directory, settings } = folder()
    const other = join(file, '..', 'other.jsonl')
    copyFileSync('fixtures/claude-code/compaction.jsonl', other)
    await printed(openFile(file), settings)
    const [mine = ''] = keptIn(directory)
    await printed(openFile(other), settings)
    const [theirs = ''] = keptIn(directory).filter((name) => name !== mine)
    copyFileSync(join(directory, mine), join(directory, theirs))
    await expect(printed(unread(other), settings)).rejects.toThrow('it was read')
  })

  it('does not outlive a change: another size, other content of the same size and time, another file under the name', async () => {
    const changes: ((file: string) => void)[] = [
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('refactor', 'refactors')),
      (file) => {
        const { atime, mtime } = statSync(file)
        writeFileSync(file, readFileSync(file, 'utf8').replace('refactor', 'REFACTOR'))
        utimesSync(file, atime, mtime)
      },
      (file) => {
        const { atime, mtime } = statSync(file)
        copyFileSync(file, `${file}.new`)
        utimesSync(`${file}.new`, atime, mtime)
        renameSync(`${file}.new`, file)
      },
    ]
    for (const change of changes) {
      const { file, settings } = folder()
      await printed(openFile(file), settings)
      change(file)
      await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
      expect(await printed(openFile(file), settings)).toBe(await printed(openFile(file), null))
    }
  })

  it('does not outlive a change of what stands beside the file and tells more of it', async () => {
    const { file, settings } = folder()
    copyFileSync('fixtures/factory-droid/session.jsonl', file)
    const beside = file.replace('.jsonl', '.settings.json')
    const models = [undefined, '{"model":"gpt-5"}', '{"model":"gpt-4"}', undefined]
    for (const model of models) {
      if (model === undefined) rmSync(beside, { force: true })
      else writeFileSync(beside, model)
      const fresh = await printed(openFile(file), null)
      expect(await printed(openFile(file), settings)).toBe(fresh)
      expect(await printed(unread(file), settings)).toBe(fresh)
    }
  })

  it('is nothing of a file that was written to a moment ago, or is written to while it is read', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), { ...settings, now: Date.now })
    expect(existsSync(directory)).toBe(false)
    const source = openFile(file)
    function* chunks() {
      yield* source.chunks as Iterable<Uint8Array>
      writeFileSync(file, '\n', { flag: 'a' })
    }
    await printed({ ...source, chunks: chunks() }, settings)
    expect(keptIn(directory)).toEqual([])
  })

  it('stays below the limit: what was not used for the longest time goes first', async () => {
    const { file, directory, settings } = folder()
    const names = ['first', 'other', 'third'].map((name) => file.replace('session', name))
    for (const name of names) {
      copyFileSync(file, name)
      age(name)
      await printed(openFile(name), settings)
    }
    const sizes = keptIn(directory).map((name) => statSync(join(directory, name)).size)
    const limit = sizes.reduce((sum, size) => sum + size, 0) + 50
    for (const name of keptIn(directory)) utimesSync(join(directory, name), 1, 1)
    await printed(unread(names[1] as string), settings)
    await printed(openFile(file), { ...settings, limit })
    expect(keptIn(directory)).toHaveLength(3)
    await printed(unread(names[1] as string), settings)
    await printed(unread(file), settings)
  })

  it('makes no room by removing what the same run has kept', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    const [entry = ''] = keptIn(directory)
    // Room for one and a half: how small an entry is packed depends on the names of files and on the engine.
    const limit = Math.floor(statSync(join(directory, entry)).size * 1.5)
    rmSync(directory, { recursive: true })
    const other = file.replace('session', 'other')
    copyFileSync(file, other)
    const traces = openTraceCache({ ...settings, limit })
    await simulateSources([openFile(file), openFile(other)], plan, { traces })
    expect(keptIn(directory)).toEqual([entry])
  })

  it('leaves no draft of a run that was killed', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    for (const name of [draftName(), 'thesis.draft']) {
      writeFileSync(join(directory, name), 'half')
      utimesSync(join(directory, name), 1, 1)
    }
    copyFileSync(file, file.replace('session', 'other'))
    await printed(openFile(file.replace('session', 'other')), settings)
    expect(keptIn(directory).filter((name) => !/^[0-9a-f]{14}$/.test(name))).toEqual(['thesis.draft'])
  })

  it('does not outlive a change during the run that adds to it', async () => {
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    const traces = openTraceCache(settings)
    const accepts = () => {
      writeFileSync(file, readFileSync(file, 'utf8').replace('refactor', 'REFACTOR'))
      return true
    }
    await simulateSources([openFile(file)], { ...plan, preamble: 5000 }, { traces, accepts })
    expect(keptIn(directory)).toHaveLength(1)
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
  })

  it('is nothing where nothing can be written', async () => {
    const { file, directory, settings } = folder()
    writeFileSync(join(file, '..', 'kept'), 'a file where the directory would be')
    expect(await printed(openFile(file), settings)).toBe(await printed(openFile(file), null))
    expect(existsSync(directory)).toBe(false)
  })

  it('is nothing of a conversation that nests too deep to be read back', async () => {
    const { file, directory, settings } = folder()
    const tools = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    writeFileSync(
      file,
      `{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}],"tools":[${tools}]}\n`,
    )
    await printed(openFile(file), settings)
    expect(existsSync(directory)).toBe(false)
  })
})

describe('on the command line', () => {
  const bytesKept = async (env: Record<string, string>) =>
    Number((await runCli(['cache', '--size'], { env: withoutCi(env), cwd: root })).stdout)
  const withoutCi = ({ CI: _, ...env }: Record<string, string>) => env

  it('it is off in CI unless asked for, off without a home directory, and off with --no-cache', async () => {
    const { file } = folder()
    const kept = (name: string) => ({ CTXWIN_CACHE_DIR: join(root, name) })
    const words = ['simulate', file, '-e', 'bytes']
    const now = later()
    await runCli(words, { env: { ...kept('ci'), CI: 'true' }, now })
    expect(await bytesKept(kept('ci'))).toBe(0)
    await runCli(words, { env: { ...kept('ci'), CI: 'true', CTXWIN_TRACE_CACHE: 'true' }, now })
    expect(await bytesKept(kept('ci'))).toBeGreaterThan(1000)
    await runCli([...words, '--no-cache'], { env: kept('off'), now })
    await runCli([...words, '--no-cache', '--cache', 'ideal'], { env: kept('off'), now })
    await runCli(words, { env: { ...kept('off'), CTXWIN_TRACE_CACHE: 'false' }, now })
    expect(await bytesKept(kept('off'))).toBe(0)
    expect(await runCli(['cache'], { env: {} })).toMatchObject({ code: 2, stdout: '' })
  })

  it('--no-cache and --cache are two things', async () => {
    const { file } = folder()
    const words = ['simulate', file, '-e', 'bytes', '-O', 'json']
    const ideal = await runCli([...words, '--cache', 'ideal'])
    expect(await runCli([...words, '--cache', 'ideal', '--no-cache'])).toEqual(ideal)
    expect(await runCli([...words, '--no-cache', '--cache', 'ideal'])).toEqual(ideal)
    expect(ideal.stdout).not.toBe((await runCli([...words, '--no-cache'])).stdout)
  })

  it('standard input is never kept', async () => {
    const env = { CTXWIN_CACHE_DIR: join(root, 'stdin') }
    await runCli(['simulate', '-', '-e', 'bytes'], { env, stdin: readFileSync(session, 'utf8'), now: later() })
    expect(await bytesKept(env)).toBe(0)
  })

  it('ctxwin cache says where it is and how large, and removes only what was kept', async () => {
    const { file } = folder()
    const env = { XDG_CACHE_HOME: join(root, 'xdg') }
    await runCli(['simulate', file, '-e', 'bytes'], { env, now: later() })
    const directory = join(root, 'xdg', 'ctxwin', 'traces')
    const mine = join(directory, 'mine.txt')
    writeFileSync(mine, 'not made here')
    const [name = ''] = keptIn(directory)
    const bytes = statSync(join(directory, name)).size
    const { stdout } = await runCli(['cache', '--output', 'json'], { env })
    expect(JSON.parse(stdout)).toEqual([{ directory, files: 1, bytes, limit: 2 ** 30 }])
    expect((await runCli(['cache', '--size'], { env })).stdout).toBe(`${bytes}\n`)
    expect((await runCli(['cache', '--clear', '-O', 'csv'], { env })).stdout).toContain(',0,0,')
    expect(keptIn(directory)).toEqual(['mine.txt'])
  })

  it('--cache-size limits it, and a size that is none is a mistake', async () => {
    const { file } = folder()
    const env = { CTXWIN_CACHE_DIR: join(root, 'small') }
    await runCli(['simulate', file, '-e', 'bytes', '--cache-size', '1KB'], { env, now: later() })
    expect(await bytesKept(env)).toBe(0)
    const { code, stderr } = await runCli(['simulate', file, '--cache-size', 'much'], { env })
    expect(stderr).toBe('ctxwin: --cache-size: "much" is not a size such as 500MB or 20GB\n')
    expect(code).toBe(2)
  })
})

it.skipIf(process.platform === 'win32')('an entry that others could have written is passed over', async () => {
  const { file, directory, settings } = folder()
  await printed(openFile(file), settings)
  const [name = ''] = keptIn(directory)
  chmodSync(join(directory, name), 0o622)
  await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
})

describe.skipIf(process.getuid?.() !== 0)('with the rights of root', () => {
  it('the entry of another user is passed over', async () => {
    const { chownSync } = await import('node:fs')
    const { file, directory, settings } = folder()
    await printed(openFile(file), settings)
    const [name = ''] = keptIn(directory)
    chownSync(join(directory, name), 12345, 12345)
    chmodSync(join(directory, name), 0o666)
    await expect(printed(unread(file), settings)).rejects.toThrow('it was read')
  })
})
