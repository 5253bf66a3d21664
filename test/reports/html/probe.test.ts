/** The page of `probe`, as a function of what was found. */
import { describe, expect, it } from 'vitest'
import { foundIn } from '../../../src/app/probe/result.ts'
import type { NextAction } from '../../../src/model/probe.ts'
import type { ProbeResult } from '../../../src/model/probe-result.ts'
import { probeDocument } from '../../../src/reports/html/document.ts'
import type { Child, Element } from '../../../src/reports/html/element.ts'
import { probeView } from '../../../src/reports/html/views/probe.ts'
import { nasty, probeOf, read } from './sample-probe.ts'

const textOf = (child: Child): string => (typeof child === 'string' ? child : child.children.map(textOf).join('|'))
const elementsOf = (child: Child): Element[] =>
  typeof child === 'string' ? [] : [child, ...child.children.flatMap(elementsOf)]
const shownOf = (result: ProbeResult) => probeView(result).map(textOf).join('|')
const armsOf = (result: ProbeResult) =>
  probeView(result)
    .flatMap(elementsOf)
    .filter(({ attributes }) => attributes.class === 'arms')
    .flatMap(({ children }) => children.map(textOf))

describe('the page of probe', () => {
  it('says the answer first, with interval, number and dollars', () => {
    const [header] = probeView(probeOf(read('/a.ts'), read('/b.ts')))
    expect(textOf(header as Element)).toContain(
      'same next action 0 of 100 where asking twice gives 100: -100.0 points (too few sessions for an interval), 1 probe in 1 session, $1.23',
    )
  })

  it('shows both actions side by side, and what had left', () => {
    const result = probeOf(read('/a.ts'), read('/b.ts'), { calls: [], text: 'Which file?' })
    expect(armsOf(result)).toEqual([
      'With the full window|both times|Read|file_path|/a.ts',
      'Under drop-steps:keepLast=2 at 50k|first|Read|file_path|/b.ts|asked again|Which file?',
    ])
    expect(shownOf(result)).toContain('Request 7')
    expect(shownOf(result)).toContain(
      '3 messages are not as in the full window. The recorded response used of it:|line 4|',
    )
  })

  it('says so where nothing differs, and where nothing was asked', () => {
    expect(shownOf(probeOf(read('/a.ts'), read('/a.ts')))).toContain('No request where the policy did something else')
    const before = { ...probeOf(read('/a.ts'), read('/b.ts')), ...foundIn([]), dryRun: true }
    expect(shownOf(before)).toContain('would ask about 1 request in 1 session')
    expect(shownOf(before)).not.toContain('How far answers agree')
    expect(shownOf(before)).not.toContain('What would be asked')
    const { unprobed } = before.about
    const session = { file: nasty, conversation: null, requests: 9, differing: 3, unprobed, probes: [], summaries: [] }
    const sessions = [{ ...session, preamble: 'rebuilt', estimated: { cold: 1.5, cached: null } } as const]
    const planned = shownOf({ ...before, sessions })
    expect(planned).toContain('What would be asked')
    expect(planned).toContain('|9|0|0|–|$1.50')
    expect(planned).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
  })

  it('shortens what is long, and whatever an input is it is shown', () => {
    const long = probeOf(read('x'.repeat(1000)), { calls: [{ name: 'A', input: 'no JSON' }], text: '' })
    expect(armsOf(long)).toEqual([
      `With the full window|both times|Read|file_path|${'x'.repeat(600)}… 400 more characters`,
      'Under drop-steps:keepLast=2 at 50k|both times|A|no JSON',
    ])
    for (const input of [null, [1, { a: 2 }], 3, JSON.parse('{"__proto__":{"a":1},"b":null}')])
      expect(() => probeView(probeOf(read('/a'), { calls: [{ name: 'A', input }], text: '' }))).not.toThrow()
  })

  it('shows nothing invisible and lets nothing end the script', () => {
    const hostile: NextAction = {
      calls: [{ name: nasty, input: { [nasty]: nasty, deep: { [nasty]: [nasty] } } }],
      text: nasty,
    }
    const result = probeOf(read('/a.ts'), hostile)
    const view = probeView(result)
    for (const text of view.map(textOf)) expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
    expect(shownOf(result)).toContain(String.raw`first</script><script>alert(1)</script>\x1b[2J\u202egnp.exe\u200b`)
    expect(shownOf(result)).toContain('\nsecond')
    // What a transcript says is text and never a tag or an attribute.
    for (const { tag, attributes } of view.flatMap(elementsOf)) {
      expect(tag).toMatch(/^[a-z][a-z0-9]*$/)
      expect(JSON.stringify(attributes)).not.toContain('alert')
    }
    const built = '<script type="application/json" id="data">{}</script><script>draw()</script>'
    const page = [...probeDocument(built, result)].join('')
    expect(page.match(/<\/script/g)).toHaveLength(2)
    const [, data = ''] = /id="data">(.*?)<\/script>/s.exec(page) ?? []
    expect(JSON.parse(data)).toEqual(result)
  })
})
