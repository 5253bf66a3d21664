/** Parts that were changed after they were written, by accident and on purpose. */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CtxwinError } from '../../../src/base/errors.ts'
import { Parts } from '../../../src/cli/inputs/part-file.ts'
import { changedLines, changedValue } from '../../mutations.ts'
import { runCli, wordsOf } from '../run.ts'

const again = 'run its shard again'
const inputs = ['openai-chat/tools.jsonl', 'claude-code/compaction.jsonl', 'pi'].map((name) =>
  fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url)),
)
const cheap = ['--budget', '2k', '--estimator', 'bytes']
const commands: Readonly<Record<string, readonly string[]>> = {
  simulate: ['--policy', 'ikigai,keep-all', '--by', 'request', ...cheap],
  recommend: ['--policy', 'drop-oldest', ...cheap],
  overview: ['--estimator', 'bytes'],
  sessions: [],
  spend: [],
  calibrate: ['--estimator', 'bytes,auto'],
  check: ['--assert', 'maxCuts=1', ...cheap],
}

let cwd = ''
const ctxwin = (...argv: string[]) => runCli(argv, { cwd, env: { CTXWIN_TRACE_CACHE: 'false' } })
const parts = new Map<string, string>()
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-part-'))
  for (const [command, flags] of Object.entries(commands)) {
    const { code, stdout } = await ctxwin(...wordsOf(command), ...inputs, ...flags, '--output', 'partial')
    expect(code, command).toBe(0)
    parts.set(command, stdout)
  }
})
afterAll(() => rmSync(cwd, { recursive: true }))

const part = (command = 'simulate'): string => parts.get(command) as string
const merge = (text: string, ...flags: string[]) => {
  writeFileSync(join(cwd, 'part.ndjson'), text)
  return ctxwin('merge', 'part.ndjson', ...flags)
}

/** A part of these lines, as whoever makes one by hand would end it. */
function forged(lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`
  const files = lines.filter((line) => line.startsWith('{"file":')).length
  const end = { complete: true, files, lines: lines.length, sha256: createHash('sha256').update(text).digest('hex') }
  return `${text}${JSON.stringify(end)}\n`
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n').slice(0, -1)

describe('a part', () => {
  it('ends with the number and the sum of its lines', () => {
    for (const text of parts.values()) expect(forged(linesOf(text))).toBe(text)
  })

  it('is merged as one run prints it', async () => {
    for (const [command, flags] of Object.entries(commands)) {
      expect(await merge(part(command)), command).toEqual(await ctxwin(...wordsOf(command), ...inputs, ...flags))
    }
  })

  it.each([
    ['without its last line', (lines: string[]) => lines.slice(0, -1), `it is damaged or cut off: ${again}`],
    ['without a line', (lines: string[]) => lines.toSpliced(3, 1), 'lines before its last, and was written with'],
    ['with a line twice', (lines: string[]) => lines.toSpliced(3, 0, lines[3] as string), 'lines before its last'],
    [
      'with two lines the other way round',
      (lines: string[]) => lines.with(2, lines[3] as string).with(3, lines[2] as string),
      `it was changed after it was written: ${again}`,
    ],
    [
      'with another figure',
      (lines: string[]) => lines.map((line) => line.replace(/"sentTokens":\d/, '"sentTokens":9')),
      `it was changed after it was written: ${again}`,
    ],
    [
      'with a line of another part',
      (lines: string[]) => lines.with(2, linesOf(part('recommend'))[2] as string),
      `it was changed after it was written: ${again}`,
    ],
    ['that ends in another', (lines: string[]) => [...lines, ...lines], 'lines before its last'],
  ])('%s is refused in one line', async (_, change, words) => {
    const { code, stdout, stderr } = await merge(`${change(part().trimEnd().split('\n')).join('\n')}\n`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^ctxwin: part\.ndjson: [^\n]+\n$/)
    expect(stderr).toContain(words)
  })

  it('of an earlier form, or of another version, says what to do', async () => {
    const head = JSON.parse(linesOf(part())[0] as string)
    const old = (change: object) =>
      [JSON.stringify({ ...head, ...change }), '{"complete":true,"files":0}', ''].join('\n')
    expect((await merge(old({ part: 1 }))).stderr).toBe(
      `ctxwin: part.ndjson: it was made by an earlier build of ctxwin ${head.ctxwin}: ${again}\n`,
    )
    expect((await merge(old({ part: 1, ctxwin: '0.0.9' }))).stderr).toBe(
      `ctxwin: part.ndjson: it was made by another version of ctxwin (0.0.9, this is ${head.ctxwin})\n`,
    )
  })

  it('that was changed in any one place is refused, whatever was changed', async () => {
    const read = async (text: string) => {
      const lines = new Parts([{ name: 'part.ndjson', chunks: [Buffer.from(text)] }]).lines(() => null)
      for await (const _ of lines);
    }
    for (const command of ['simulate', 'spend']) {
      const text = part(command)
      await read(text)
      const lines = text.trimEnd().split('\n')
      const ofValue = fc
        .nat(lines.length - 1)
        .chain((at) =>
          changedValue(JSON.parse(lines[at] as string)).map(
            (value) => `${lines.with(at, JSON.stringify(value)).join('\n')}\n`,
          ),
        )
      await fc.assert(
        fc.asyncProperty(fc.oneof(ofValue, changedLines(text)), async (changed) => {
          fc.pre(changed !== text)
          await expect(read(changed)).rejects.toThrow(CtxwinError)
        }),
        { numRuns: 400 },
      )
    }
  })
})

describe('a part that was made by hand, with a sum that is right,', () => {
  const withLine = (text: string, at: number, change: (line: string) => string): string =>
    forged(linesOf(text).with(at, change(linesOf(text)[at] as string)))

  it.each([
    ['simulate', /"requests":\d+/, '"requests":"<script>alert(1)</script>"', 'piece.0.requests'],
    ['simulate', /"sentTokens":\d+/, '"sentTokens":1e300', 'piece.0.sentTokens'],
    ['simulate', /"unit":"[\w-]+"/, '"unit":"__proto__"', 'piece.0.cost.unit'],
    ['simulate', /"peakTokens":\d+/, '"peakTokens":{"$":"NaN"}', 'piece.0.peakTokens'],
    ['simulate', /"rows":\[\{/, '"rows":[null,{', 'piece.0.rows.0'],
    ['recommend', /"fullTokens":\d+/, '"fullTokens":-1', 'piece.run.fullTokens'],
    ['recommend', /"figures":\[\[/, '"figures":[[],[', 'piece.figures'],
    ['recommend', /"overWindow":\[[^\]]*\]/, '"overWindow":{}', 'piece.unpruned.watched.overWindow'],
    ['overview', /"compactions":\d+/, '"compactions":0.5', 'piece.ofSession.compactions'],
    ['spend', /"usd":[\d.]+/, '"usd":"1"', 'piece.parts.0.usd'],
    ['sessions', /"promptCurve":\[\d+/, '"promptCurve":[-1', 'piece.sessions.0.promptCurve.0'],
    ['calibrate', /"inputTokens":\d+/, '"inputTokens":null', 'piece.rows.0.inputTokens'],
    ['check', /"contentTokens":[\d.]+/, '"contentTokens":[]', 'piece.0.witness.contentTokens'],
  ])('is refused for a figure of %s that is none: %s', async (command, old, changed, where) => {
    const text = part(command)
    const at = linesOf(text).findIndex((line) => line.includes('"piece":') && old.test(line))
    const altered = withLine(text, at, (line) => line.replace(old, changed))
    const { code, stdout, stderr } = await merge(altered)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`ctxwin: part.ndjson: its line ${at + 1} has no such ${where} as ctxwin writes: ${again}\n`)
  })

  it('cannot say that anything is written, run or loaded', async () => {
    writeFileSync(join(cwd, 'mine.mjs'), `import { writeFileSync } from 'node:fs'\nwriteFileSync('${cwd}/ran', '')\n`)
    writeFileSync(join(cwd, 'config.mjs'), `import { writeFileSync } from 'node:fs'\nwriteFileSync('${cwd}/ran', '')\n`)
    for (const [command, flags] of [
      ['simulate', { outputFile: 'stolen' }],
      ['simulate', { config: './config.mjs' }],
      ['simulate', { policy: ['./mine.mjs'] }],
      ['simulate', { format: './mine.mjs' }],
      ['simulate', { follow: true }],
      ['simulate', { output: 'html' }],
      ['check', { updateBaseline: true, baselineFile: 'stolen' }],
      ['check', { 'outputFile.junit': 'stolen' }],
      ['check', { reporter: ['junit'], 'outputFile.junit': 'stolen' }],
    ] as const) {
      const changed = withLine(part(command), 0, (line) => {
        const head = JSON.parse(line)
        return JSON.stringify({ ...head, flags: { ...head.flags, ...flags } })
      })
      const { code, stdout, stderr } = await merge(changed)
      expect({ code, stdout }, JSON.stringify(flags)).toEqual({ code: 2, stdout: '' })
      expect(stderr.split('\n')).toHaveLength(2)
    }
    expect([existsSync(join(cwd, 'stolen')), existsSync(join(cwd, 'ran'))]).toEqual([false, false])
  })

  it('is refused for a file that is missing, and one whose number is another', async () => {
    const lines = linesOf(part())
    const begins = lines.flatMap((line, at) => (line.startsWith('{"file":') ? [at] : []))
    const [, second, third] = begins as [number, number, number]
    expect((await merge(forged(lines.toSpliced(second, third - second)))).stderr).toMatch(
      /^ctxwin: part\.ndjson: 1 of its \d+ files are in no part: /,
    )
    for (const number of [0, 99, -1, 0.5]) {
      const changed = forged(lines.with(second, (lines[second] as string).replace(/"file":\d+/, `"file":${number}`)))
      expect((await merge(changed)).stderr).toContain(`its line ${second + 1} has no such file as ctxwin writes`)
    }
  })

  it('whatever it says, does no harm: it is refused in one line, or printed as figures are', async () => {
    const outputs = [['--output', 'table'], ['--output', 'markdown'], ['--json'], ['--output', 'csv']]
    const anyPart = fc.constantFrom('simulate', 'spend', 'calibrate', 'recommend').chain((command) => {
      const lines = linesOf(part(command))
      return fc
        .nat(lines.length - 1)
        .chain((at) =>
          changedValue(JSON.parse(lines[at] as string)).map((value) => forged(lines.with(at, JSON.stringify(value)))),
        )
    })
    await fc.assert(
      fc.asyncProperty(anyPart, fc.constantFrom(...outputs), async (changed, output) => {
        const { code, stdout, stderr } = await merge(changed, ...output)
        expect(stderr).not.toContain('bug of ctxwin')
        expect([0, 2]).toContain(code)
        if (code === 2) expect(stdout).toBe('')
        expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
        if (output.includes('markdown')) expect(stdout).not.toContain('<script>')
      }),
      { numRuns: 120 },
    )
  })
})

it('a part that comes through a pipe is refused, for it is read twice', () => {
  const chunks = { [Symbol.asyncIterator]: async function* () {} }
  expect(() => new Parts([{ name: 'pipe', chunks }])).toThrow('pipe: a part is read twice, and a pipe can be read once')
})

it('--update-baseline writes no part', async () => {
  const argv = ['check', ...inputs, '--update-baseline', '--output', 'partial']
  expect(await ctxwin(...argv)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'ctxwin: a baseline is made from all files at once: use --update-baseline without --shard and --output partial\n',
  })
})
