/** Lost references the slow, obvious way: every message of every request is read again as it stood in that request. */

import type { Request } from '../../src/measures/measure.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { toolTargets } from '../../src/references/targets/tool-target.ts'
import { createExtractor } from '../../src/references/terms/extractor.ts'
import type { Contents } from '../../src/simulator/contents.ts'
import type { Observer } from '../../src/simulator/replay.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { unknownSummary } from './transcripts.ts'

/** A request as it went out: which messages, and what they said. */
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

function termsOf(message: Message): Set<string> {
  const terms = new Set<string>()
  const extractor = createExtractor({ cwd: '/home/u/project' }, (termClass, key) => terms.add(`${termClass} ${key}`))
  for (const block of message.blocks) {
    if (block.type === 'text') extractor.text(block.text)
    if (block.type === 'call') extractor.call(block.name, block.input)
  }
  extractor.flush()
  return terms
}

const headline = ['path', 'url', 'error', 'id', 'target']

export function countSlowly(trace: Trace, sent: readonly Sent[]) {
  const list = trace.messages as Message[]
  const terms = list.map(termsOf)
  // Nothing is edited any more: what stands in a hundred requests is read once.
  const read = new Map<Message, ReadonlySet<string>>()
  const termsIn = (message: Message): ReadonlySet<string> => {
    const found = read.get(message) ?? termsOf(message)
    read.set(message, found)
    return found
  }
  const counts = () => ({ total: 0, mentionLost: 0, sourceLost: 0, selfSourced: 0 })
  const all = { all: counts(), user: counts(), assistant: counts(), headline: counts(), warm: counts() }
  const byClass: Record<string, ReturnType<typeof counts>> = {}
  for (const name of [...headline, 'identifier', 'number']) byClass[name] = counts()
  const exchangesHit = new Set<number>()

  // The filters that no budget changes.
  const prompts = list.flatMap((message, index) => (message.role === 'user' && !message.origin ? [index] : []))
  const exchangeOf = (index: number) => prompts.filter((prompt) => prompt <= index).length - 1
  const names = new Set(
    list.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'call' ? [block.name, ...Object.keys(block.input as object)] : [])),
    ),
  )
  const isOrdinary = (term: string) => {
    if (names.has(term.slice(term.indexOf(' ') + 1))) return true
    const where = new Set(terms.flatMap((found, index) => (found.has(term) ? [exchangeOf(index)] : [])))
    where.delete(-1)
    return prompts.length >= 8 && where.size > prompts.length / 4
  }

  const counted = new Set<string>()
  list.forEach((message, index) => {
    const asks = message.role === 'user' && message.origin !== 'injected'
    if (!asks && message.role !== 'assistant') return
    const request = asks ? sent.findIndex(({ at }) => at > index) : sent.findLastIndex(({ at }) => at <= index)
    const window = sent[request]
    if (!window || (asks && lastReset(trace, window.at) > index)) return
    const horizon = asks ? index : window.at
    for (const term of terms[index] as Set<string>) {
      const earlier = list.flatMap((_, before) =>
        before >= lastReset(trace, index) && before < horizon && terms[before]?.has(term) ? [before] : [],
      )
      if (earlier.length === 0 || isOrdinary(term) || counted.has(`${request} ${term}`)) continue
      counted.add(`${request} ${term}`)
      const hasSource = earlier.some((before) => list[before]?.role !== 'assistant')
      const inside = window.messages.filter(
        (held) =>
          held.index < horizon &&
          !(held.index < 0 && JSON.stringify(held.message.blocks).includes(unknownSummary)) &&
          termsIn(held.message).has(term),
      )
      const mentionLost = inside.length === 0
      const sourceLost = hasSource && !inside.some((held) => held.index < 0 || held.message.role !== 'assistant')
      const termClass = term.slice(0, term.indexOf(' '))
      const tallies = [all.all, byClass[termClass] ?? counts(), asks ? all.user : all.assistant]
      if (headline.includes(termClass)) tallies.push(all.headline)
      if (window.pruned) tallies.push(all.warm)
      for (const tally of tallies) {
        tally.total++
        if (!hasSource) tally.selfSourced++
        if (mentionLost) tally.mentionLost++
        if (sourceLost) tally.sourceLost++
      }
      if ((mentionLost || sourceLost) && exchangeOf(index) >= 0) exchangesHit.add(exchangeOf(index))
    }
  })
  return { ...all, byClass, exchangesHit: exchangesHit.size, rereads: countRereads(trace, sent) }
}

interface Fetch {
  readonly key: string
  readonly files: readonly (string | null)[]
  readonly askedAt: number
  readonly result: number
  readonly text: string
}

function countRereads(trace: Trace, sent: readonly Sent[]) {
  const list = trace.messages as Message[]
  const rereads = { refresh: 0, redundant: 0, fault: 0 }
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
    const fetch: Fetch = { key, files: targets.map(({ target }) => target), askedAt, result: index, text }
    // Only what was answered since the history last began anew.
    const before = fetches.filter(({ key, result }) => key === fetch.key && result >= lastReset(trace, index))
    fetches.push(fetch)
    const last = before.at(-1)
    if (!last) return
    const request = sent.findLast(({ at }) => at <= askedAt)
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
      const has = copies.some(
        ({ result, text }) =>
          result > (request?.at ?? 0) ||
          request?.messages.some((held) => held.index === result && JSON.stringify(held.message.blocks) === text),
      )
      rereads[has ? 'redundant' : 'fault']++
    }
  })
  return rereads
}
