/** The examples of docs/turn-on.md, as they were run: each that stands there was, its policy acted, and what was sent is valid. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recorded } from './adapters.ts'

const page = readFileSync(new URL('../../docs/turn-on.md', import.meta.url), 'utf8')
/** By the heading above it. */
const examples = page.split(/^## /m).flatMap((section) => {
  const [, code] = /^```js\n([\s\S]*?)^```/m.exec(section) ?? []
  return code === undefined ? [] : [[section.split('\n')[0], code] as const]
})

it('all were run as they stand there', () => {
  const digests = examples.map(([name, code]) => [name, createHash('sha256').update(code).digest('hex').slice(0, 16)])
  expect(digests).toEqual(Object.entries(recorded).map(([name, { example }]) => [name, example]))
})

describe.each(Object.entries(recorded))('%s', (_, { requests }) => {
  it('is sent the system prompt with each request', () => {
    for (const { system } of requests) expect(system).toBe('You compare files.')
  })

  it('is sent a result behind each call, and no other', () => {
    for (const { sent } of requests) {
      const of = (mark: RegExp) => sent.flat().flatMap((text) => mark.exec(text)?.[1] ?? [])
      expect(of(/^of (call_\d+)$/)).toEqual(of(/^calls (call_\d+):/))
    }
  })

  it('is sent all of the newest result, and of the older ones what the policy leaves', () => {
    const results = requests.map(({ sent }) => sent.filter(([role]) => role === 'tool'))
    expect(results.map(({ length }) => length)).toEqual([0, 1, 3, 4])
    const isMasked = ([, text = '']: readonly string[]) => text.includes('masked')
    expect(results.at(-1)?.map(isMasked)).toEqual([true, true, true, false])
    expect(results[1]?.map(isMasked)).toEqual([false])
  })
})
