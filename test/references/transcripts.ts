/** Random transcripts with many terms, and a policy that edits the window in every possible way. */
import fc from 'fast-check'
import type { Block, Message } from '../../src/model/message.ts'
import type { Sizer, Trace, TranscriptHead } from '../../src/model/trace.ts'
import { definePolicy } from '../../src/policies/catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../../src/policies/policy.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'

const vocabulary = [
  ...Array.from({ length: 6 }, (_, nth) => `src/part${nth}/file${nth}.ts`),
  'https://example.dev/page/1',
  'TypeError',
  '3f2a9c1d5',
  'maxTokens',
  'read_buffer',
  '#4711',
  'package.json',
  '<system-reminder>src/part0/file0.ts</system-reminder>',
  // Other spellings: of one file, of one of two, of one that has three.
  'part0/file0.ts',
  '/repo/src/part2',
  '/repo/src/',
  'part1/file1.ts',
  'lib/part1/file1.ts',
  'part2/file2.ts',
  '/repo/src/part2/file2.ts',
  // Content, as it stands in a file, in what a tool shows of it, and in a diff.
  '\nexport function alpha(one: string): void {\n',
  '\n    12→\texport function  alpha(one: string): void {\n',
  '\n  export function beta(two: number): string {\n',
  '\n+  export function beta(two: number): string {\n',
  '\n42:  export const gamma = beta(1).length\n',
  '\nexport const gamma = beta(1).length\n',
  '\nsrc/part1/file1.ts:42:export const gamma = beta(1).length\n',
  // Of several pieces, which messages of their own may have, too.
  '\nexport function alpha(one: string): void {\nexport function beta(two: number): string {\n',
  '\nexport function beta(two: number): string {\nexport const gamma = beta(1).length\n',
  '\n```\n',
]

export interface Said {
  /** `more` and `also` go on with the response before: with words, or with a call. */
  readonly kind:
    | 'prompt'
    | 'queued'
    | 'injected'
    | 'system'
    | 'answer'
    | 'more'
    | 'call'
    | 'also'
    | 'result'
    | 'thought'
  readonly words: readonly string[]
  readonly path: number
  readonly tool: 'Read' | 'Edit' | 'Write' | 'Grep' | 'cat'
  readonly reset: boolean
  /** So many of the messages in front of it are taken back first. */
  readonly back: number
}

interface Talk {
  readonly words: readonly string[]
  /** Of the files the first so many are read and written. */
  readonly files: number
  readonly tools: readonly Said['tool'][]
  readonly mostWords: number
  /** In front of one in so many messages some are taken back. */
  readonly backs: number
  readonly most: number
}

function talk({ words, files, tools, mostWords, backs, most }: Talk): fc.Arbitrary<readonly Said[]> {
  const message = fc.record({
    kind: fc.oneof(
      { weight: 4, arbitrary: fc.constant('prompt' as const) },
      { weight: 4, arbitrary: fc.constant('answer' as const) },
      { weight: 4, arbitrary: fc.constant('call' as const) },
      { weight: 4, arbitrary: fc.constant('result' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'queued' as const,
          'injected' as const,
          'system' as const,
          'more' as const,
          'thought' as const,
        ),
      },
    ),
    words: fc.array(fc.constantFrom(...words, 'and', 'the'), { maxLength: mostWords }),
    path: fc.nat({ max: files - 1 }),
    tool: fc.constantFrom(...tools),
    reset: fc.integer({ min: 0, max: 30 }).map((number) => number === 0),
    back: fc.integer({ min: 0, max: 5 * backs - 1 }).map((number) => (number < 5 ? number + 1 : 0)),
  })
  return fc.array(message, { maxLength: most })
}

const tools = ['Read', 'Edit', 'Write', 'Grep', 'cat'] as const

export const said = talk({ words: vocabulary, files: 6, tools, mostWords: 6, backs: 25, most: 70 })

/** Of few things, and much of it taken back again. */
export const takenBack = talk({
  words: vocabulary.filter((word) => word.includes('file1.ts') || word.includes('alpha')),
  files: 2,
  tools: ['Read', 'Edit', 'Write'],
  mostWords: 1,
  backs: 5,
  most: 40,
})

/** Of one thing, again and again: what is gone of it takes long walks. */
export const droned = talk({
  words: ['src/part1/file1.ts'],
  files: 2,
  tools: ['Read'],
  mostWords: 2,
  backs: 60,
  most: 70,
})

const pieces = vocabulary.filter((word) => word.startsWith('\n') && word.length > 30)

/** An agent at work: what it reads in pieces it edits later; it may be interrupted, and `/clear` comes between exchanges. */
export const worked: fc.Arbitrary<readonly Said[]> = fc
  .array(
    fc.record({
      steps: fc.array(
        fc.record({
          tool: fc.constantFrom('Read' as const, 'Read' as const, 'Edit' as const, 'Write' as const),
          path: fc.nat({ max: 1 }),
          words: fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 2 }),
          /** In a response that says something first, and may call twice. */
          spoken: fc.constantFrom(0, 0, 1, 2),
          reset: fc.integer({ min: 0, max: 20 }).map((number) => number === 0),
          // Read again, a file is often the same.
          shown: fc.option(fc.array(fc.constantFrom(...pieces, ...vocabulary), { maxLength: 2 })),
        }),
        { maxLength: 3 },
      ),
      answer: fc.option(fc.array(fc.constantFrom(...pieces, ...vocabulary), { maxLength: 2 }), { freq: 3 }),
      /** The answer goes on in a second message. */
      more: fc.option(fc.array(fc.constantFrom(...pieces, ...vocabulary), { maxLength: 2 })),
      reset: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
    }),
    { maxLength: 9 },
  )
  .map((exchanges) =>
    exchanges.flatMap(({ steps, answer, more, reset }) => {
      const say = (kind: Said['kind'], words: readonly string[], more: Partial<Said> = {}): Said => ({
        ...{ kind, words, path: 0, tool: 'Read', reset: false, back: 0 },
        ...more,
      })
      const done = steps.flatMap(({ tool, path, words, shown, spoken, reset }) => {
        const result = say('result', shown ?? pieces.slice(path, path + 2))
        if (spoken === 0) return [say('call', words, { tool, path, reset }), result]
        const also = Array.from({ length: spoken }, () => say('also', words, { tool, path }))
        return [say('answer', ['well'], { reset }), ...also, ...also.map(() => result)]
      })
      const answered = answer ? [say('answer', answer), ...(more ? [say('more', more)] : [])] : []
      return [say('prompt', ['go', 'on'], { reset }), ...done, ...answered]
    }),
  )

/** Resets and what is taken back are left to the caller: but a call that is taken back has no result. */
export function messagesOf(list: readonly Said[]): Message[] {
  /** The calls without a result, each with its place among the messages that are left. */
  let open: { readonly id: string; readonly place: number }[] = []
  let response = 0
  let left = 0
  return list.map(({ kind, words, path, tool, back }, index): Message => {
    left = Math.max(0, left - back)
    // Nothing goes on with a response of which a part was taken back.
    if (back > 0) response++
    open = open.filter(({ place }) => place < left)
    const place = left++
    const line = index + 1
    const blocks: Block[] = [{ type: 'text', text: words.join(' ') }]
    const file = `src/part${path}/file${path}.ts`
    switch (kind) {
      case 'prompt':
        return { role: 'user', line, blocks }
      case 'queued':
      case 'injected':
        return { role: 'user', line, blocks, origin: kind }
      case 'system':
        return { role: 'system', line, blocks }
      case 'thought':
        return { role: 'assistant', line, blocks: [{ type: 'thinking', text: words.join(' ') }] }
      case 'answer':
        return { role: 'assistant', line, blocks, responseId: `r${++response}` }
      case 'more':
        return { role: 'assistant', line, blocks, responseId: `r${response}` }
      case 'call':
      case 'also': {
        const id = `c${index}`
        open.push({ id, place })
        const call: Block = { type: 'call', id, ...callOf(tool, file, words.join(' ')) }
        return {
          ...{ role: 'assistant', line, ...(kind === 'also' && { responseId: `r${response}` }) },
          blocks: tool === 'Edit' || tool === 'Write' ? [call] : [...blocks, call],
        }
      }
      default:
        return { role: 'tool', line, blocks, callId: open.shift()?.id ?? 'none' }
    }
  })
}

function callOf(tool: Said['tool'], file: string, text: string): { name: string; input: object } {
  if (tool === 'cat') return { name: 'Bash', input: { command: `cat ${file.slice(4)}` } }
  const inputs = {
    Read: { file_path: `./${file}` },
    Edit: { file_path: `./${file}`, old_string: text, new_string: 'export function delta(three: Date): Date {' },
    Write: { file_path: `./${file}`, content: text },
    Grep: { pattern: 'read_buffer', path: file },
  }
  return { name: tool, input: inputs[tool] }
}

export const head: TranscriptHead = {
  file: 'random.jsonl',
  conversation: null,
  format: 'test',
  provider: 'openai',
  model: null,
  cwd: '/home/u/project',
  parent: null,
  forkMessage: null,
}

export function traceOf(list: readonly Said[], sizers: readonly Sizer[], tools?: readonly unknown[]): Trace {
  const trace = new TraceBuilder(head, sizers, true, new ReferenceDigest(head))
  trace.preamble = { system: [], complete: true, ...(tools ? { tools } : {}) }
  messagesOf(list).forEach((message, index) => {
    const { back, reset } = list[index] as Said
    if (back > 0) trace.rewind(Math.max(0, trace.length - back))
    if (reset) trace.reset()
    trace.add(message)
  })
  return trace.build()
}

/** Pseudo-random numbers, the same every time. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A summary that a model would have to write: its text is not known. */
export const unknownSummary = 'unknown summary of src/part1/file1.ts'

function editRandomly(window: Window, below: (limit: number) => number, view: boolean): void {
  const entries: Entry[] = []
  for (let entry = window.first; entry; entry = entry.next) entries.push(entry)
  const at = below(entries.length)
  const [from, to] = [entries[at], entries[Math.min(entries.length - 1, at + below(4))]]
  const text = `kept ${vocabulary[below(vocabulary.length)]} and ${vocabulary[below(vocabulary.length)]}`
  const content = { role: 'user' as const, blocks: [{ type: 'text' as const, text }] }
  switch (below(view ? 7 : 6)) {
    case 0:
      if (from && to) window.drop(from, to)
      break
    case 1:
    case 2:
      if (from) window.replace(from, text)
      break
    case 3:
      window.insert(from ?? null, content)
      break
    case 4:
      if (from && to && below(2) === 0) window.summarise(from, to, content)
      else if (from && to) {
        const summary = { ...content, blocks: [{ type: 'text' as const, text: unknownSummary }] }
        window.summarise(from, to, summary, 5)
      }
      break
    case 6:
      window.restore(below(20))
      break
    default:
  }
}

/** Masks nearly every message, and says some of what was in it later. */
export function maskingPolicy(kind: 'sticky' | 'view', seed: number) {
  return policyOf(kind, 'masks nearly everything', () => {
    const below = random(seed)
    const request = (window: Window) => {
      if (kind === 'view' && below(6) === 0) window.restore(below(40))
      for (let entry = window.first; entry; entry = entry.next) {
        if (entry.replaced && below(30) > 0) continue
        window.replace(entry, entry.replaced ? `again ${vocabulary[1]}` : '[masked]')
      }
    }
    return { request }
  })
}

export function wildPolicy(kind: 'sticky' | 'view', seed: number) {
  return policyOf(kind, 'edits the window at random', () => {
    const below = random(seed)
    const act = (window: Window) => {
      for (let times = below(3); times > 0; times--) editRandomly(window, below, kind === 'view')
    }
    return { message: act, request: act, exchangeEnd: act }
  })
}

function policyOf(kind: 'sticky' | 'view', summary: string, start: () => PolicyRun) {
  return definePolicy({
    name: 'wild',
    summary,
    source: 'a test',
    params: {},
    kind,
    monotone: false,
    wholePairs: false,
    text: true,
    start,
  })
}
