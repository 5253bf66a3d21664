import fc from 'fast-check'
import { describe, it } from 'vitest'
import keepAll from '../../src/policies/keep-all.ts'
import type { Entry, PolicyRun } from '../../src/policies/policy.ts'
import { cases } from '../whole.ts'
import { build, compare, expectSame, long, rules, stepsOf, thoughtful, vandal } from './slow-cache.ts'

type Few =
  | 'nothing'
  | 'slide'
  | 'insert'
  | 'insert late'
  | 'replace late'
  | 'drop late'
  | 'drop behind own'
  | 'summarise'

/** At most one edit for each request, so that the cache has much to take over. */
function careful(numbers: readonly number[], edits: readonly Few[]): PolicyRun {
  let next = 0
  const draw = (below: number): number => (numbers[next++ % numbers.length] as number) % below
  const role = () => (draw(3) === 0 ? ('assistant' as const) : ('user' as const))
  const notice = () => ({ role: role(), blocks: [{ type: 'text' as const, text: `[notice ${draw(2)}]` }] })
  return {
    request(window) {
      const { first, last } = window
      const entries: Entry[] = []
      for (let entry = first; entry; entry = entry.next) entries.push(entry)
      const [early, late] = [entries[draw(3)] ?? null, entries.at(-1 - draw(3)) ?? null]
      const behindOwn = entries[entries.findLastIndex(({ index }) => index < 0) + 1]
      const edit = edits[draw(edits.length)]
      if (edit === 'slide' && first && early && window.count > 4) window.drop(first, early)
      else if (edit === 'insert') window.insert(early, notice())
      else if (edit === 'insert late') window.insert(late, notice())
      else if (edit === 'replace late' && late && late.index >= 0) window.replace(late, `[masked ${draw(2)}]`)
      else if (edit === 'drop late' && late && last) window.drop(late, last)
      else if (edit === 'drop behind own' && behindOwn) window.drop(behindOwn, behindOwn)
      else if (edit === 'summarise' && first && early) window.summarise(first, early, notice())
    },
  }
}

describe('the cache equals whole serialized requests compared with each other', () => {
  const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 60 })
  const rule = fc.constantFrom(...rules)

  it.each(['sticky', 'view'] as const)('for any edits, %s', (kind) => {
    fc.assert(
      fc.property(stepsOf(true), numbers, rule, (steps, numbers, rule) => {
        const { fast, slow } = compare(build(steps, 'openai'), vandal(numbers, kind), kind, 1, rule)
        expectSame(fast, slow)
      }),
      { numRuns: cases(40) },
    )
  })

  it.each<[string, Few[]]>([
    ['in windows that slide', ['slide', 'slide', 'slide', 'insert', 'insert late', 'drop behind own', 'nothing']],
    ['near the end', ['insert late', 'replace late', 'drop late', 'nothing', 'nothing']],
    ['and summaries', ['insert', 'summarise', 'nothing', 'nothing']],
  ])('for few edits %s', (_, edits) => {
    fc.assert(
      fc.property(stepsOf(false, long), numbers, rule, (steps, numbers, rule) => {
        const { fast, slow } = compare(build(steps, 'anthropic'), careful(numbers, edits), 'sticky', 1, rule)
        expectSame(fast, slow)
      }),
      { numRuns: cases(25) },
    )
  })

  it.each(['sticky', 'view', 'slides'] as const)('where edits take reasoning along, %s', (how) => {
    fc.assert(
      fc.property(stepsOf(false, long), numbers, rule, (steps, numbers, rule) => {
        const kind = how === 'slides' ? 'sticky' : how
        const policy = how === 'slides' ? careful(numbers, ['slide', 'slide', 'nothing']) : vandal(numbers, kind)
        const { fast, slow } = compare(build(thoughtful(steps), 'anthropic'), policy, kind, 1, rule, true)
        expectSame(fast, slow)
      }),
      { numRuns: cases(25) },
    )
  })

  it('for none', () => {
    fc.assert(
      fc.property(
        fc.boolean().chain((timed) => stepsOf(timed)),
        rule,
        (steps, rule) => {
          const { fast, slow } = compare(build(steps, 'openai'), keepAll.start({}, {} as never), 'sticky', 1, rule)
          expectSame(fast, slow)
        },
      ),
      { numRuns: cases(25) },
    )
  })
})
