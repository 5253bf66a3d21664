/** What bench/truth/copied.mjs counts as copied, held against a search of each string in each source. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CopiedText } from '../../bench/truth/copied.mjs'

const said = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), minLength: 0, maxLength: 60 })

/** A result, a summary of it, and a command behind them that has parts of both. */
const session = fc
  .record({
    results: fc.array(said, { minLength: 1, maxLength: 4 }),
    summary: said,
    parts: fc.array(fc.record({ of: fc.nat(4), from: fc.nat(40), length: fc.nat(60) }), { minLength: 1, maxLength: 5 }),
    inside: fc.array(fc.nat(1), { minLength: 4, maxLength: 4 }),
    small: fc.array(fc.nat(1), { minLength: 4, maxLength: 4 }),
  })
  .map(({ results, summary, parts, inside, small }) => {
    const all = [...results, summary]
    const command = parts
      .map(({ of, from, length }) => (all[of % all.length] as string).slice(from, from + length))
      .join('#')
    return { results, summary, command, inside, small }
  })

/** One request, behind a compaction that stands behind the results. */
function traceOf({ results, summary, command }: { results: string[]; summary: string; command: string }) {
  const text = (role: string, words: string) => ({ role, blocks: [{ type: 'text', text: words }] })
  const call = { role: 'assistant', blocks: [{ type: 'call', id: 'c', name: 'Bash', input: { command } }] }
  const messages = [...results.map((words) => text('tool', words)), call]
  const at = results.length
  return {
    messages,
    length: messages.length,
    compactions: [{ at, summary: [text('user', summary)] }],
    isResponse: (index: number) => index === at,
    requestAt: () => at,
  }
}

const fold = (words: string): string => words.replace(/\s+/g, ' ')

/** By character of `words`: whether a run of `run` or more is covered by strings of 16 characters that a source has. */
function slowly(words: string, sources: readonly string[], run: number): boolean[] {
  const isIn = (from: number): boolean =>
    from >= 0 && from + 16 <= words.length && sources.some((one) => one.includes(words.slice(from, from + 16)))
  const covered = Array.from(words, (_, at) => Array.from({ length: 16 }, (_, back) => at - back).some(isIn))
  return covered.map((one, at) => {
    if (!one) return false
    let [from, to] = [at, at]
    while (covered[from - 1]) from--
    while (covered[to + 1]) to++
    return to - from + 1 >= run
  })
}

describe('copied text', () => {
  it.each([24, 48])('in runs of %i is what a search of each string finds', (run) => {
    fc.assert(
      fc.property(session, ({ results, summary, command, inside, small }) => {
        const words = fold(command)
        const sources = results.map(fold)
        const windows = [inside, small].map(
          (bits) => new Map([[0, Uint8Array.from([...bits.slice(0, results.length), 0])]]),
        )
        const [real, less] = windows as [Map<number, Uint8Array>, Map<number, Uint8Array>]
        const within = (bits: number[]) => sources.filter((_, at) => bits[at] === 1)
        const whole = slowly(words, sources, run)
        const had = slowly(words, [...within(inside), fold(summary)], run)
        const left = slowly(words, within(small), run)
        const count = (test: (at: number) => boolean | undefined) => whole.filter((_, at) => test(at)).length
        const all = count((at) => whole[at])
        const gone = count((at) => whole[at] && !had[at])
        const kept = count((at) => had[at])
        const lost = count((at) => had[at] && !left[at])
        const isCounted = words.length >= 16 && all >= 48
        const variant = { name: '', run, edits: false }
        const found = new CopiedText(traceOf({ results, summary, command })).judge(variant, real, less)(() => true)
        expect(found.total).toBe(isCounted ? 1 : 0)
        expect(found.floor).toBeCloseTo(isCounted ? gone / all : 0)
        expect(found.signal).toBeCloseTo(isCounted && kept > 0 ? lost / kept : 0)
        expect(found.flagged).toBe(isCounted && gone >= all / 4 ? 1 : 0)
      }),
      { numRuns: 300 },
    )
  })
})
