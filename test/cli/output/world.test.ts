/** What is said on standard error: one line, which a terminal gets folded to its width. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { worldOf } from '../../../src/cli/output/world.ts'
import { widthOf } from '../../../src/reports/text.ts'
import { Collected } from '../run.ts'

const sentence =
  'calls of 3 tools have no price: prices of 2026-09-23 know none for lamp-1, lamp-2 or lamp-3, so their cost is left out of all 128,411 tokens'
const detail =
  'see ctxwin list models lamp --prices lamps.json for the 14 models that come nearest to what was recorded here, by name'

function said(terminal: { isTTY?: boolean; columns?: number }): string {
  const stderr = new Collected()
  const stdin = Readable.from([]) as never
  const world = worldOf({
    stdin,
    stdout: new Collected(),
    stderr: Object.assign(stderr, terminal),
    env: {},
    cwd: () => '/',
  })
  world.say(sentence, [detail])
  return stderr.text
}

describe('say', () => {
  it('leaves a message one line where nobody watches, however wide it is said to be', () => {
    const whole = `ctxwin: ${sentence}\n    ${detail}\n`
    expect(said({})).toBe(whole)
    expect(said({ columns: 60 })).toBe(whole)
  })

  it.each([40, 60, 80, 120, 200])('folds it on a terminal of %i columns, and loses no word', (columns) => {
    const text = said({ isTTY: true, columns })
    const lines = text.trimEnd().split('\n')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(text.trim().split(/\s+/)).toEqual(`ctxwin: ${sentence} ${detail}`.split(' '))
    // A figure and what it counts stay together.
    expect(text).toContain('128,411 tokens')
    expect(text).toContain('14 models')
    // What follows a line is indented more than the line.
    const first = lines.findIndex((line) => line.startsWith('    see'))
    for (const line of lines.slice(1, first)) expect(line).toMatch(/^ {4}\S/)
    for (const line of lines.slice(first + 1)) expect(line).toMatch(/^ {8}\S/)
  })

  it('takes 80 columns where a terminal does not say', () => {
    expect(said({ isTTY: true })).toBe(said({ isTTY: true, columns: 80 }))
    expect(said({ isTTY: true, columns: 0 })).toBe(said({ isTTY: true, columns: 80 }))
  })
})
