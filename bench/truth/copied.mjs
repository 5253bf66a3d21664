/**
 * `copied`, studied: how much of what an agent sent to tools stood in its window before. An anchor is 16 characters, white space
 * folded; a copy is a run of characters that anchors of the window's sources cover without a gap. Sources are what the user said,
 * results, what the agent wrote into files, and recorded summaries; not what it answered. Anchors of one window are put together, as
 * what is copied may straddle two messages.
 */

const anchor = 16

/** What counts as a copy. `run`: the fewest characters. `edits`: only what is written into files, no commands. */
export const variants = [
  { name: 'copied, runs of 24', run: 24, edits: false },
  { name: 'copied, runs of 48', run: 48, edits: false },
  { name: 'copied, runs of 48 in edits', run: 48, edits: true },
]

const fold = (text) => text.replace(/\s+/g, ' ')

/** All strings of a call's input, with their keys. */
function* stringsIn(value, key = '') {
  if (typeof value === 'string') yield [key, value]
  else if (Array.isArray(value)) for (const one of value) yield* stringsIn(one, key)
  else if (value && typeof value === 'object')
    for (const [name, one] of Object.entries(value)) yield* stringsIn(one, name)
}

const isWritten = (key) =>
  /^(old_?string|new_?string|old_?str|new_?str|content|file_?text|patch|patchText|input|diff)$/i.test(key)

/** The text of blocks that is not a call. */
const plainText = (blocks) => blocks.flatMap((block) => (typeof block.text === 'string' ? [block.text] : [])).join('\n')

export class CopiedText {
  /** By request: the texts of its actions, each once, folded, and whether they are written into files. */
  #actions = []
  /** By anchor that some action has: the sources that have it. Messages by index; summary k of the agent's as length + k. */
  #places = new Map()
  #trace

  constructor(trace) {
    this.#trace = trace
    this.#readActions(trace)
    this.#readSources(trace)
  }

  #readActions(trace) {
    let request = -1
    let seen = new Set()
    for (const [index, { role, blocks }] of trace.messages.entries()) {
      if (trace.isResponse(index)) {
        request++
        seen = new Set()
      }
      if (role !== 'assistant' || request < 0) continue
      for (const block of blocks) {
        if (block.type !== 'call') continue
        for (const [key, value] of stringsIn(block.input)) {
          const text = fold(value)
          if (text.length < anchor || seen.has(text)) continue
          seen.add(text)
          this.#actions.push({ request, text, edits: isWritten(key) })
          for (let at = 0; at + anchor <= text.length; at++) this.#places.set(text.slice(at, at + anchor), [])
        }
      }
    }
  }

  #readSources(trace) {
    const read = (text, source) => {
      const folded = fold(text)
      for (let at = 0; at + anchor <= folded.length; at++) {
        const list = this.#places.get(folded.slice(at, at + anchor))
        if (list !== undefined && list.at(-1) !== source) list.push(source)
      }
    }
    for (const [index, { role, blocks }] of trace.messages.entries()) {
      if (role === 'user' || role === 'tool') read(plainText(blocks), index)
      if (role !== 'assistant') continue
      for (const block of blocks) {
        if (block.type !== 'call') continue
        for (const [key, value] of stringsIn(block.input)) if (isWritten(key)) read(value, index)
      }
    }
    for (const [nth, { summary, restored = [] }] of trace.compactions.entries()) {
      for (const { blocks } of [...summary, ...restored]) read(plainText(blocks), trace.length + nth)
    }
  }

  /**
   * @param real and less: by request, which messages stand in the window that the agent had, and in a smaller one; null for all
   * @returns for requests of a kind: those that copied; the shares of it that look lost, added up; and the flagged ones
   */
  judge({ run, edits }, real, less) {
    const trace = this.#trace
    const sums = new Map()
    for (const action of this.#actions) {
      if (edits && !action.edits) continue
      const { request, text } = action
      const answer = trace.requestAt(request)
      const summary = trace.compactions.findLastIndex(({ at }) => at <= answer)
      const within = (inside, hasSummary) => (source) =>
        source >= trace.length
          ? hasSummary && source === trace.length + summary
          : source < answer && (inside === null || inside[source] === 1)
      const known = (inside, hasSummary) => this.#copied(text, run, within(inside, hasSummary))
      const [inReal, inLess] = [real.get(request) ?? null, less.get(request) ?? null]
      const whole = known(null, false)
      const had = inReal === null ? whole : known(inReal, true)
      const left = inLess === null ? had : known(inLess, false)
      const sum = sums.get(request) ?? { whole: 0, gone: 0, had: 0, lost: 0 }
      sums.set(request, sum)
      for (let at = 0; at < text.length; at++) {
        if (whole[at] === 1) sum.whole++
        if (whole[at] === 1 && had[at] === 0) sum.gone++
        if (had[at] === 1) sum.had++
        if (had[at] === 1 && left[at] === 0) sum.lost++
      }
    }
    return (isHere) => {
      const found = { total: 0, floor: 0, signal: 0, flagged: 0 }
      for (const [request, { whole, gone, had, lost }] of sums) {
        if (whole < 48 || !isHere(request)) continue
        found.total++
        found.floor += gone / whole
        found.signal += had === 0 ? 0 : lost / had
        if (gone >= whole / 4) found.flagged++
      }
      return found
    }
  }

  /** By character: 1 where a run that is long enough covers it. */
  #copied(text, run, isInside) {
    const covered = new Uint8Array(text.length)
    for (let at = 0; at + anchor <= text.length; at++) {
      const sources = this.#places.get(text.slice(at, at + anchor))
      if (sources.some(isInside)) covered.fill(1, at, at + anchor)
    }
    for (let at = 0; at < text.length; ) {
      let end = at
      while (end < text.length && covered[end] === 1) end++
      if (end - at < run) covered.fill(0, at, end)
      at = end + 1
    }
    return covered
  }
}
