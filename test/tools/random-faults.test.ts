import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import {
  drawn,
  type Fault,
  faultsOf,
  keyOf,
  outdatedEquivalents,
  switched,
} from '../../tools/mutants/random/faults.mjs'

const root = resolve(import.meta.dirname, '../..')
const source = `
import { gone } from './gone.ts'
interface Sized { readonly 1: 2; readonly size: 3 | 4 }
const most = 7
let told = ''
const shapes = { 5: 'five' } as const
const tell = (text: string) => { told += text }
class Sum {
  of(numbers: readonly number[], least?: number): number {
    let sum = 0
    for (const number of numbers.filter((it) => it > 1)) {
      if (number % 2 === 0 && number !== most) sum += number
      else tell('odd ')
    }
    if (!numbers.some((it) => it > 250)) return sum - (least ?? 3)
    Math.max(sum, most) > 9 ? tell('large') : tell('small')
    const { 5: five } = shapes
    return sum * -1 + five.length
  }
}
function answer(): unknown {
  told = ''
  const sum = new Sum()
  return [sum.of([1, 2, 3, 8]), sum.of([4, 300], 2), sum.of([1]), told]
}
`
const faults: Fault[] = faultsOf('a.ts', source)

/** What the code answers, by which fault is on. */
function program(code: string): (on?: number) => string {
  const script = ts.transpile(code.replace(/^import .*$/m, ''), { target: ts.ScriptTarget.ES2022 })
  return (on = -1) => {
    try {
      return JSON.stringify(new Function('$fault', `${script}; return answer()`)((id: number) => id === on))
    } catch {
      return 'an error'
    }
  }
}

describe('random faults', () => {
  it('change operators, constants, conditions, calls, returns, arguments and methods', () => {
    expect(faults.map(keyOf)).toEqual(
      expect.arrayContaining([
        'Sum.of: numbers.filter((it) => it > 1) ⇒ numbers.filter((it) => it >= 1)',
        'Sum.of: let sum = 0 ⇒ let sum = 1',
        "Sum.of: tell('odd ') ⇒ {}",
        'Sum.of: return sum * -1 + five.length ⇒ return undefined',
        'Sum.of: return sum - (least ?? 3) ⇒ {}',
        'Sum.of: return sum - (least ?? 3) ⇒ return sum - (least)',
        'Sum.of: sum += number ⇒ sum -= number',
      ]),
    )
    const becomes = faults.map((fault) => fault.becomes).join('\n')
    expect(becomes).not.toContain('Math.max(most, sum)')
    for (const part of ['Math.min(sum, most)', 'numbers.every(', 'it > 500', 'if (true)'])
      expect(becomes).toContain(part)
  })

  it('leave types, imports, names and words alone', () => {
    for (const { start, line } of faults) {
      expect(source.slice(start)).not.toMatch(/^('|5: |gone)/)
      expect([2, 3, 6]).not.toContain(line)
    }
  })

  it('are each, behind its switch, what it is when it is written in', () => {
    const switches = program(
      switched(
        source,
        faults.map((fault, id) => ({ ...fault, id })),
      ),
    )
    const sound = program(source)()
    expect(switches()).toBe(sound)
    let different = 0
    for (const [id, { start, end, by }] of faults.entries()) {
      const written = program(source.slice(0, start) + by + source.slice(end))()
      expect(switches(id), keyOf(faults[id]!)).toBe(written)
      if (written !== sound) different++
    }
    expect(different).toBeGreaterThan(faults.length / 2)
  })

  it('are drawn by a seed, whatever stands around them', () => {
    const names = (of: string, seed: string) => drawn(faultsOf('b.ts', of), 12, seed).map(keyOf)
    const first = names(source, '1')
    expect(new Set(first).size).toBe(12)
    expect(names(source, '2')).not.toEqual(first)
    expect(names(`// A line.\n${source}`, '1')).toEqual(first)
    const more = names(`${source}\nfunction other() { return most < 8 }`, '1')
    expect(first.filter((name) => more.includes(name)).length).toBeGreaterThan(8)
  })
})

describe('faults that are equivalent', () => {
  it('are told when their text is gone', () => {
    const of = (text: string) => ({ function: 'f', text, becomes: '', why: '' })
    expect(outdatedEquivalents([of('most = 7 let told'), of('most = 8')], [source])).toEqual([
      'equivalent.json: `most = 8` of f stands in no source. Take it out, or say how it reads now',
    ])
  })

  it('of ours fit the code, each with its reason', () => {
    const equivalent = JSON.parse(readFileSync(join(root, 'tools/mutants/random/equivalent.json'), 'utf8'))
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    expect(outdatedEquivalents(equivalent, sources)).toEqual([])
    for (const { why } of equivalent) expect(why).toMatch(/\w+ \w+/)
  })
})
