/** Lost references the slow, obvious way: reads every message of every request as it was in that request. */

import type { Request } from '../../src/measures/measure.ts'
import type { Block, Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { type ToolTarget, toolTargets } from '../../src/references/targets/tool-target.ts'
import type { TermExtractor } from '../../src/references/terms/extractor.ts'
import type { Contents } from '../../src/simulator/contents.ts'
import type { Observer } from '../../src/simulator/replay.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { extracted } from './terms/extracted.ts'
import { unknownSummary } from './transcripts.ts'

/** A request as it went out: its messages and their content. */
interface Sent {
  readonly at: number
  readonly pruned: boolean
  readonly messages: readonly { readonly index: number; readonly message: Message }[]
}

export class Capture implements Observer {
  readonly sent: Sent[] = []
  readonly #trace: Trace

  constructor(trace: Trace) {
    this.#trace = trace
  }

  request(request: Request, window: Contents): void {
    const messages: { index: number; message: Message }[] = []
    if (window instanceof EditableWindow) {
      for (let item = window.first; item; item = item.next) {
        messages.push({ index: item.index, message: item.message as Message })
      }
    } else {
      for (let index = lastReset(this.#trace, request.message); index < request.message; index++) {
        messages.push({ index, message: this.#trace.messages?.[index] as Message })
      }
    }
    this.sent.push({ at: request.message, pruned: window instanceof EditableWindow && window.edits > 0, messages })
  }
}

function lastReset(trace: Trace, before: number): number {
  for (let index = before; index > 0; index--) if (trace.isReset(index)) return index
  return 0
}

const termsIn = (feed: (extractor: TermExtractor) => void): Set<string> => new Set(extracted(feed, '/home/u/project'))

/** A message is read once, however many requests it is in: nothing changes it. */
function once<Found>(read: (message: Message) => Found): (message: Message) => Found {
  const known = new WeakMap<Message, Found>()
  return (message) => {
    const found = known.get(message) ?? read(message)
    known.set(message, found)
    return found
  }
}

const spelledIn = once((message) =>
  termsIn((extractor) => {
    for (const block of message.blocks) {
      if (block.type === 'text') extractor.text(block.text)
      if (block.type === 'call') extractor.call(block.name, block.input)
    }
  }),
)

type Call = Extract<Block, { type: 'call' }>

/** The call that message `index` answers; null if there is none, or an earlier message answered it. */
function callOf(list: readonly Message[], index: number): Call | null {
  const { callId } = list[index] as Message
  if (callId === undefined || list.findIndex((message) => message.callId === callId) !== index) return null
  const calls = list.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'call'))
  return calls.find(({ id }) => id === callId) ?? null
}

/** For each path the one of which it is another spelling. */
function spellingsOf(paths: readonly string[]): (path: string) => string {
  return function one(path): string {
    const longer = new Set(paths.filter((other) => other.endsWith(`/${path}`)).map(one))
    return longer.size === 1 ? ([...longer][0] as string) : path
  }
}

/** Lines of 25 characters or more, without the line numbers and marks that a tool adds: with regular expressions. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/^[\s+-]*(?:(?:[^\s:]*?([:-])(?=\d+\1))?\d+(?:[→\t:|-]|(?: +\d+)? *[|│]))?[\s+-]*/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line.length >= 25)
}

const linesIn = once(({ blocks }) => {
  const texts = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text]
    return block.type === 'call' ? (Object.values(block.input as object) as string[]) : []
  })
  return new Set(texts.flatMap(linesOf))
})

/** The lines of edits, written files and fenced blocks, which may be copied from somewhere. */
function takenBy({ role, blocks }: Message): { taken: string[]; atLeast: number }[] {
  if (role !== 'assistant') return []
  return blocks.flatMap((block) => {
    if (block.type === 'text') return fenced(block.text).map((text) => ({ taken: linesOf(text), atLeast: 2 }))
    if (block.type !== 'call') return []
    const { old_string: old, content } = block.input as Record<string, string>
    return [{ taken: linesOf(old ?? content ?? ''), atLeast: 1 }]
  })
}

/** What it only answers the agent knows by itself. */
function isOrigin({ role, blocks }: Message): boolean {
  return role !== 'assistant' || blocks.some(({ type }) => type === 'call')
}

function fenced(text: string): string[] {
  const parts = text.split(/^ *```.*$/m)
  return parts.filter((_, nth) => nth % 2 === 1 && nth < parts.length - 1)
}

const named = ['path', 'url', 'error', 'id', 'target']

export function countSlowly(trace: Trace, sent: readonly Sent[]) {
  const list = trace.messages as Message[]
  const spelled = list.map(spelledIn)
  const known = new Set(spelled.flatMap((found) => [...found]))
  const paths = [...known].flatMap((term) => (term.startsWith('path ') ? [term.slice(5)] : []))
  const one = spellingsOf(paths)
  const keyed = (found: ReadonlySet<string>) =>
    new Set([...found].map((term) => (term.startsWith('path ') ? `path ${one(term.slice(5))}` : term)))
  // A path mentions its folders, in any spelling.
  const withFolders = (found: ReadonlySet<string>) => {
    const spellings = paths.filter((path) => found.has(`path ${one(path)}`))
    const folders = paths.filter((folder) => spellings.some((path) => path.startsWith(`${folder}/`)))
    return new Set([...found, ...folders.map((folder) => `path ${one(folder)}`)])
  }
  // Text that the policy writes is searched for terms of the transcript, in their spelling there.
  const termsOf = (message: Message) => keyed(new Set([...spelledIn(message)].filter((term) => known.has(term))))
  // A result is a source of its call's target, even if it does not mention it.
  const terms = list.map((message, index) => {
    const call = callOf(list, index)
    if (!call || !toolTargets(call.name, call.input).some(({ kind }) => kind !== 'other')) return termsOf(message)
    const about = toolTargets(call.name, call.input).map(
      ({ target, form }) => `${form === 'path' ? 'path' : 'target'} ${target}`,
    )
    const asked = [...spelledIn({ role: 'assistant', line: 0, blocks: [call] })].filter((term) =>
      about.some((target) => target.replace('path ./', 'path ') === term),
    )
    return new Set([...termsOf(message), ...keyed(new Set(asked))])
  })
  const saying = terms.map(withFolders)
  const counts = () => ({ total: 0, mentionLost: 0, sourceLost: 0, selfSourced: 0 })
  const all = {
    all: counts(),
    headline: counts(),
    named: counts(),
    warm: counts(),
  }
  const byClass: Record<string, ReturnType<typeof counts>> = {}
  for (const name of ['content', ...named, 'identifier', 'number']) byClass[name] = counts()
  const exchangesHit = new Set<number>()
  let partlyLost = 0

  const prompts = list.flatMap((message, index) => (message.role === 'user' && !message.origin ? [index] : []))
  const exchangeOf = (index: number) => prompts.filter((prompt) => prompt <= index).length - 1
  // A filter that does not depend on the budget.
  const names = new Set(
    list.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'call' ? [block.name, ...Object.keys(block.input as object)] : [])),
    ),
  )

  const counted = new Set<string>()
  list.forEach((message, index) => {
    if (message.role !== 'assistant') return
    const request = sent.findLastIndex(({ at }) => at <= index)
    const window = sent[request]
    if (!window) return
    const earlier = list.flatMap((_, before) =>
      before >= lastReset(trace, index) && before < window.at ? [before] : [],
    )
    const held = window.messages.filter(
      (held) =>
        held.index < window.at && !(held.index < 0 && JSON.stringify(held.message.blocks).includes(unknownSummary)),
    )
    const tally = (termClass: string, lost: { mentionLost: boolean; sourceLost: boolean }, hasSource: boolean) => {
      const tallies = [all.all, byClass[termClass] ?? counts()]
      if (termClass === 'content') tallies.push(all.headline)
      if (named.includes(termClass)) tallies.push(all.named)
      if (window.pruned) tallies.push(all.warm)
      for (const tally of tallies) {
        tally.total++
        if (!hasSource) tally.selfSourced++
        if (lost.mentionLost) tally.mentionLost++
        if (lost.sourceLost) tally.sourceLost++
      }
      if ((lost.mentionLost || lost.sourceLost) && exchangeOf(index) >= 0) exchangesHit.add(exchangeOf(index))
    }
    for (const term of terms[index] as Set<string>) {
      const said = earlier.filter((before) => saying[before]?.has(term))
      if (said.length === 0 || names.has(term.slice(term.indexOf(' ') + 1)) || counted.has(`${request} ${term}`))
        continue
      counted.add(`${request} ${term}`)
      const hasSource = said.some((before) => list[before]?.role !== 'assistant')
      const inside = held.filter(({ index, message }) =>
        (message === list[index] ? (saying[index] as Set<string>) : withFolders(termsOf(message))).has(term),
      )
      const mentionLost = inside.length === 0
      const sourceLost = hasSource && !inside.some((held) => held.index < 0 || held.message.role !== 'assistant')
      tally(term.slice(0, term.indexOf(' ')), { mentionLost, sourceLost }, hasSource)
    }
    for (const { taken, atLeast } of takenBy(message)) {
      const lines = [...new Set(taken)]
      const pieces = lines.filter((line) =>
        earlier.some((before) => linesIn(list[before] as Message).has(line) && isOrigin(list[before] as Message)),
      )
      if (pieces.length < atLeast || pieces.length < lines.length / 2) continue
      const inside = pieces.filter((line) => held.some(({ message }) => linesIn(message).has(line)))
      const isLost = inside.length === 0
      tally('content', { mentionLost: isLost, sourceLost: isLost }, true)
      if (!isLost && inside.length < pieces.length) partlyLost++
    }
  })
  const rereads = countRereads(trace, sent, one)
  return { ...all, byClass, exchangesHit: exchangesHit.size, partlyLost, rereads }
}

interface Fetch {
  readonly key: string
  readonly files: readonly (string | null)[]
  /** One key for one file. */
  readonly known: readonly string[]
  readonly askedAt: number
  readonly result: number
  readonly text: string
}

function countRereads(trace: Trace, sent: readonly Sent[], one: (path: string) => string) {
  const list = trace.messages as Message[]
  const rereads = { refresh: 0, redundant: 0, fault: 0, known: 0, foretold: 0 }
  const fetches: Fetch[] = []
  const writes: { file: string | null; at: number }[] = []
  const answered = new Set<string>()
  list.forEach((message, index) => {
    for (const block of message.blocks) {
      if (block.type !== 'call') continue
      for (const { kind, target } of toolTargets(block.name, block.input)) {
        if (kind === 'write') writes.push({ file: target, at: index })
      }
    }
    if (message.role !== 'tool' || message.callId === undefined || answered.has(message.callId)) return
    const askedAt = list.findIndex(({ blocks }) =>
      blocks.some((block) => block.type === 'call' && block.id === message.callId),
    )
    const call = list[askedAt]?.blocks.find((block) => block.type === 'call')
    if (call?.type !== 'call') return
    answered.add(message.callId)
    const targets = toolTargets(call.name, call.input).filter(({ kind }) => kind === 'read')
    if (targets.length === 0) return
    const text = JSON.stringify(message.blocks)
    const key = JSON.stringify([call.name, targets])
    const filesOf = (targets: readonly ToolTarget[]) =>
      targets.flatMap(({ target, form }) => (form === 'query' ? [] : [one((target as string).replace('./', ''))]))
    const files = targets.map(({ target }) => target)
    const fetch: Fetch = { key, files, known: filesOf(targets), askedAt, result: index, text }
    // Only calls answered since the last reset.
    const done = fetches.filter(({ result }) => result >= lastReset(trace, index))
    const before = done.filter(({ key }) => key === fetch.key)
    fetches.push(fetch)
    const request = sent.findLast(({ at }) => at <= askedAt)
    const stands = ({ result, text }: Fetch) =>
      result > (request?.at ?? 0) ||
      request?.messages.some((held) => held.index === result && JSON.stringify(held.message.blocks) === text)
    for (const file of new Set(filesOf(targets))) {
      const reads = done.filter(({ known }) => known.includes(file))
      if (reads.length > 0) rereads.known++
      if (reads.length > 0 && !reads.some(stands)) rereads.foretold++
    }
    const last = before.at(-1)
    if (!last) return
    const isChanged = (older: Fetch, newer: Fetch) =>
      older.text !== newer.text ||
      writes.some(
        ({ file, at }) =>
          at > Math.max(older.askedAt, lastReset(trace, index) - 1) && at < index && older.files.includes(file),
      )
    if (isChanged(last, fetch)) rereads.refresh++
    else {
      let copies = [last]
      for (let nth = before.length - 2; nth >= 0 && !isChanged(before[nth] as Fetch, before[nth + 1] as Fetch); nth--) {
        copies = [...copies, before[nth] as Fetch]
      }
      const has = copies.some(stands)
      rereads[has ? 'redundant' : 'fault']++
    }
  })
  return rereads
}
