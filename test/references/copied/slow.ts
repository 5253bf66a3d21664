/** Copied text the slow, obvious way: character by character, with every window read anew. */
import type { Message } from '../../../src/model/message.ts'
import { type Copied, type CopyKind, copyKinds } from '../../../src/model/run.ts'
import type { Trace } from '../../../src/model/trace.ts'
import { anchorLength } from '../../../src/references/copied/anchors.ts'
import { find } from '../../../src/references/terms/finder.ts'
import type { Capture } from '../slow.ts'

type Sent = Capture['sent'][number]

/** A text with its white space folded, without what tools put in front of its lines, and with each path as one character. */
export const folded = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^[\s+-]*(?:(?:[^\s:]*?([:-])(?=\d+\1))?\d+(?:[→\t:|-]|(?: +\d+)? *[|│]))?[\s+-]*/, ''))
    .join('\n')
    .replace(/[\w.\-/\\~:@%+=&?#]{16,}/g, (word) => (/[/\\]/.test(word) ? '/' : word))
    .replace(/[ \t\n\v\f\r\u00a0]+/g, ' ')
    .trim()

/** So many neighbours, one of which is kept. */
export const winnowed = 8

/** The anchors of a text, each window of neighbours read anew: the least stays as long as it is in the window. */
export function slowAnchors(text: string): [hash: number, at: number][] {
  const plain = folded(text)
  const orders: number[] = []
  for (let from = 0; from + anchorLength <= plain.length; from++) {
    let hash = 0
    for (let at = from; at < from + anchorLength; at++) hash = (Math.imul(hash, 2654435761) + plain.charCodeAt(at)) | 0
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    orders.push((hash ^ (hash >>> 16)) >>> 0)
  }
  const found: [number, number][] = []
  let kept = -1
  for (let from = 0; from + winnowed <= orders.length; from++) {
    const window = orders.slice(from, from + winnowed)
    const least = Math.min(...window)
    if (kept >= from && orders[kept] === least) continue
    kept = from + window.lastIndexOf(least)
    found.push([least | 0, kept])
  }
  return found
}

/** By character: 1 where a stretch that is long enough is covered. */
function onlyLong(covered: Uint8Array): Uint8Array {
  const kept = covered.slice()
  for (let from = 0; from < kept.length; ) {
    let to = from
    while (to < kept.length && kept[to] === 1) to++
    if (to - from < 48) kept.fill(0, from, to)
    from = to + 1
  }
  return kept
}

interface Anchor {
  readonly hash: number
  readonly at: number
}

function coveredBy(anchors: readonly Anchor[], length: number): Uint8Array {
  const covered = new Uint8Array(length)
  for (const { at } of anchors) covered.fill(1, at, at + anchorLength)
  return covered
}

const anchorsOf = (text: string): Anchor[] => {
  const found: Anchor[] = []
  find(text, '', null, null, (pairs, from, to) => {
    for (let at = from; at < to; at += 2) found.push({ hash: pairs[at] as number, at: pairs[at + 1] as number })
  })
  return found
}

type Call = Extract<Message['blocks'][number], { type: 'call' }>
const callsOf = ({ blocks }: Message): Call[] => blocks.filter((block) => block.type === 'call')

const writtenFields = ['old_string', 'new_string', 'content']
const writtenBy = (message: Message): string[] =>
  callsOf(message).flatMap(({ name, input }) =>
    name === 'Bash' ? [] : writtenFields.flatMap((field) => (input as Record<string, string>)[field] ?? []),
  )

/** @param isOwn the agent said it, and no policy has written in its place */
function hashesIn(message: Message, isOwn: boolean): number[] {
  const said = isOwn ? [] : message.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return [...said, ...writtenBy(message)].flatMap(anchorsOf).map(({ hash }) => hash)
}

const hashesOf = (trace: Trace, { messages }: Sent): Set<number> =>
  new Set(
    messages.flatMap(({ index, message }) =>
      hashesIn(message, index >= 0 && trace.messages?.[index] === message && message.role === 'assistant'),
    ),
  )

const kindOf = (name: string, field: string): CopyKind => {
  if (field === 'file_path' || field === 'description') return 'prose'
  return name === 'Edit' ? 'edit' : name === 'Write' ? 'file' : 'command'
}

const sum = (covered: Uint8Array): number => covered.reduce((total, one) => total + one, 0)

/**
 * @param whole, recorded and window: the requests as they go out without any policy, as they were recorded, and under the policy
 * @returns what is counted in the transcript
 */
export function countCopiedSlowly(
  trace: Trace,
  whole: readonly Sent[],
  recorded: readonly Sent[],
  window: readonly Sent[],
): Pick<Copied, 'requests' | 'lost' | 'shares' | 'floor' | 'byKind'> {
  const none = () => ({ requests: 0, lost: 0, shares: 0, floor: { requests: 0, lost: 0, shares: 0 } })
  const counts = { ...none(), byKind: { edit: none(), file: none(), command: none(), prose: none() } }
  const count = (of: { requests: number; lost: number; shares: number }, copied: number, kept: number): void => {
    if (copied === 0) return
    of.requests++
    if ((copied - kept) / copied >= 0.25) of.lost++
    of.shares += Math.round(((copied - kept) / copied) * 1e6)
  }
  for (const [request, { at: answer }] of whole.entries()) {
    const [all, had, left] = [whole, recorded, window].map((of) => hashesOf(trace, of[request] as Sent)) as [
      Set<number>,
      Set<number>,
      Set<number>,
    ]
    const nothing = () => ({ all: 0, allHad: 0, had: 0, left: 0 })
    const sums = { all: nothing(), edit: nothing(), file: nothing(), command: nothing(), prose: nothing() }
    const end = whole[request + 1]?.at ?? trace.length
    for (const message of trace.messages?.slice(answer, end) ?? []) {
      if (message.role !== 'assistant') continue
      const sent = new Map<string, keyof typeof counts.byKind>()
      for (const { name, input } of callsOf(message))
        for (const [field, text] of Object.entries(input as Record<string, string>))
          if (!sent.has(text)) sent.set(text, kindOf(name, field))
      for (const [text, kind] of sent) {
        const { length } = folded(text)
        const within = (anchors: readonly Anchor[], covered: Uint8Array) =>
          anchors.filter(({ at }) => covered[at] === 1)
        const inHistory = anchorsOf(text).filter(({ hash }) => all.has(hash))
        const copies = onlyLong(coveredBy(inHistory, length))
        const standing = within(inHistory, copies).filter(({ hash }) => had.has(hash))
        const copiesHad = onlyLong(coveredBy(standing, length))
        const kept = within(standing, copiesHad).filter(({ hash }) => left.has(hash))
        for (const of of [sums.all, sums[kind]]) {
          of.all += sum(copies)
          of.allHad += sum(coveredBy(standing, length))
          of.had += sum(copiesHad)
          of.left += sum(coveredBy(kept, length))
        }
      }
    }
    for (const [of, { all, allHad, had, left }] of [
      [counts, sums.all],
      ...copyKinds.map((kind) => [counts.byKind[kind], sums[kind]] as const),
    ] as const) {
      count(of, had, left)
      count(of.floor, all, allHad)
    }
  }
  return counts
}
