/** Random transcripts with many terms, and a policy that edits the window in every possible way. */
import fc from 'fast-check'
import type { Block, Message } from '../../src/model/message.ts'
import type { Sizer, Trace } from '../../src/model/trace.ts'
import { TraceBuilder } from '../../src/model/trace-builder.ts'
import { definePolicy, type Entry, type PolicyRun, type Window } from '../../src/policies/policy.ts'
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
  '\n```\n',
]

export interface Said {
  readonly kind: 'prompt' | 'queued' | 'injected' | 'system' | 'answer' | 'more' | 'call' | 'result' | 'thought'
  readonly words: readonly string[]
  readonly path: number
  readonly tool: 'Read' | 'Edit' | 'Write' | 'Grep' | 'cat'
  readonly reset: boolean
}

export const said: fc.Arbitrary<readonly Said[]> = fc.array(
  fc.record({
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
    words: fc.array(fc.constantFrom(...vocabulary, 'and', 'the'), { maxLength: 6 }),
    path: fc.integer({ min: 0, max: 5 }),
    tool: fc.constantFrom('Read' as const, 'Edit' as const, 'Write' as const, 'Grep' as const, 'cat' as const),
    reset: fc.integer({ min: 0, max: 30 }).map((number) => number === 0),
  }),
  { maxLength: 70 },
)

/** @param resets are left to the caller: messages that begin the history anew are named by index */
export function messagesOf(list: readonly Said[]): Message[] {
  const open: string[] = []
  let response = 0
  return list.map(({ kind, words, path, tool }, index): Message => {
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
      case 'call': {
        const id = `c${index}`
        open.push(id)
        const call: Block = { type: 'call', id, ...callOf(tool, file, words.join(' ')) }
        return { role: 'assistant', line, blocks: tool === 'Edit' || tool === 'Write' ? [call] : [...blocks, call] }
      }
      default:
        return { role: 'tool', line, blocks, callId: open.shift() ?? 'none' }
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

/** @param terms false: read with the digest that keeps content alone */
export function traceOf(
  list: readonly Said[],
  sizers: readonly Sizer[],
  tools?: readonly unknown[],
  terms = true,
): Trace {
  const head = {
    file: 'random.jsonl',
    conversation: null,
    format: 'test',
    provider: 'openai' as const,
    model: null,
    cwd: '/home/u/project',
    parent: null,
    forkMessage: null,
  }
  const trace = new TraceBuilder(head, sizers, true, new ReferenceDigest(head, { terms }))
  trace.preamble = { system: [], complete: true, ...(tools ? { tools } : {}) }
  messagesOf(list).forEach((message, index) => {
    if (list[index]?.reset) trace.reset()
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

export function wildPolicy(kind: 'sticky' | 'view', seed: number) {
  return definePolicy({
    name: 'wild',
    summary: 'edits the window at random',
    source: 'a test',
    params: {},
    kind,
    monotone: false,
    wholePairs: false,
    text: true,
    start(): PolicyRun {
      const below = random(seed)
      const act = (window: Window) => {
        for (let times = below(3); times > 0; times--) editRandomly(window, below, kind === 'view')
      }
      return { message: act, request: act, exchangeEnd: act }
    },
  })
}
