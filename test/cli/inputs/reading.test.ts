import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CtxwinError } from '../../../src/base/errors.ts'
import { resolveSettings, runsNothing } from '../../../src/cli/inputs/config.ts'
import { Reading } from '../../../src/cli/inputs/reading.ts'
import { worldOf } from '../../../src/cli/output/world.ts'
import { Collected } from '../run.ts'

const folder = mkdtempSync(join(tmpdir(), 'ctxwin-reading-'))
afterAll(() => rmSync(folder, { recursive: true }))

const files = ['a.jsonl', 'b.jsonl', 'c.jsonl']
for (const name of files) writeFileSync(join(folder, name), '')

async function readingOf(words: readonly string[]) {
  const stderr = new Collected()
  const world = worldOf({ stdin: process.stdin, stdout: new Collected(), stderr, env: {}, cwd: () => folder })
  const reading = await Reading.of(
    { command: 'simulate', inputs: words, flags: {}, world, action: () => Promise.reject(), showHelp: () => {} },
    { settings: resolveSettings({}, {}, null), config: null, runs: runsNothing },
  )
  return { reading, stderr, sources: [...reading.sources()] }
}

/** Throws at the same place in the program for every file. */
const bugOf = (text: string) => new SyntaxError(`Unexpected token in "${text}"\n    at my secret`)

describe('a file that fails', () => {
  it('by a bug of ours is named with the stack, and no word of its text, and ends in 70', async () => {
    const { reading, stderr, sources } = await readingOf(files)
    for (const source of sources) reading.unread(source, bugOf('my secret'))
    expect(stderr.text).toMatch(
      /^ctxwin: a\.jsonl: left out: this is a bug of ctxwin, please report it \(ctxwin .*\): SyntaxError\n {4}at /,
    )
    expect(stderr.text).toMatch(/\nctxwin: b\.jsonl: left out, for the same bug of ctxwin\nctxwin: c\.jsonl: .*\n$/)
    expect(stderr.text).not.toContain('secret')
    expect(reading.finish(1)).toBe(70)
  })

  it('by what is no error at all is named too', async () => {
    const { reading, stderr, sources } = await readingOf(['a.jsonl'])
    reading.unread(sources[0]!, null)
    expect(stderr.text).toMatch(/^ctxwin: a\.jsonl: left out: this is a bug .*: null was thrown\n$/)
    expect(reading.finish(1)).toBe(70)
  })

  it('is named once, whether or not the reason names it, and ends in 2', async () => {
    const { reading, stderr, sources } = await readingOf(['a.jsonl', 'b.jsonl'])
    reading.unread(sources[0]!, new CtxwinError('unreadable', 'a.jsonl', 'it is a directory'))
    reading.unread(sources[1]!, new CtxwinError('bad-policy', 'mine.js', 'b.jsonl, line 3: it threw'))
    expect(stderr.text).toBe(
      'ctxwin: cannot read a.jsonl: it is a directory\nctxwin: mine.js cannot be used as a policy: b.jsonl, line 3: it threw\n',
    )
    expect(reading.finish(1)).toBe(2)
  })
})
