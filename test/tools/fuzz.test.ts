/** The fuzzer itself: cases are reproducible, the judge finds broken laws, and failures are minimised. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../bench/generate.mjs'
import { checkReporters } from '../../src/check/reporters/index.ts'
import { commands } from '../../src/cli/inputs/commands.ts'
import { setting } from '../../src/cli/inputs/settings.ts'
import { estimators } from '../../src/estimators/index.ts'
import { policies } from '../../src/policies/index.ts'
import { readers } from '../../src/readers/index.ts'
import { type FileReport, readTranscripts } from '../../src/readers/read.ts'
import { reports } from '../../src/reports/index.ts'
import { caseOf, transcriptsIn } from '../../tools/fuzz/cases.mjs'
import { judge, judgeReport } from '../../tools/fuzz/judge.mjs'
import { minimise } from '../../tools/fuzz/minimise.mjs'
import { mutate, zstdFrame } from '../../tools/fuzz/mutate.mjs'
import { loadSchemas } from '../../tools/fuzz/schemas.mjs'
import { runCli } from '../cli/run.ts'

const fixtures = join(import.meta.dirname, '../../fixtures')
const registries = { formats: readers, policies, estimators, reports, reporters: checkReporters }
const program = { commands, setting, registries }
const schemas = loadSchemas()

describe('a case', () => {
  const transcripts = transcriptsIn([fixtures])
  const cases = Array.from({ length: 300 }, (_, number) => caseOf(transcripts, 1, number, program))
  // Comparing buffers element by element takes seconds.
  const written = ({ bytes, good, ...rest }: ReturnType<typeof caseOf>) =>
    `${bytes.toString('latin1')}${good?.toString('latin1')}${JSON.stringify(rest)}`

  it('is the same each time, and another one for each seed and number', () => {
    for (const [number, made] of cases.slice(0, 30).entries()) {
      expect(written(caseOf(transcripts, 1, number, program)) === written(made)).toBe(true)
      expect(written(caseOf(transcripts, 2, number, program)) === written(made)).toBe(false)
    }
    expect(new Set(cases.map(written)).size).toBe(cases.length)
  })

  it('is about a file that is no case already, with every command and both with a baseline and without', () => {
    expect(transcripts.filter((path: string) => path.includes('damaged/'))).toEqual([])
    const run = new Set(cases.flatMap(({ lines }) => lines.map(([command]) => command)))
    const reading = commands.filter(({ inputs }) => inputs === 'many' || inputs === 'session' || inputs === 'one')
    // The one without a name has its file where others have theirs.
    const names = reading.map(({ name }) => (name === 'overview' ? 'a file' : name))
    expect([...new Set([...run].map((word = '') => (/[./]/.test(word) ? 'a file' : word)))].sort()).toEqual(
      names.sort(),
    )
    for (const flag of ['--request', '--exchanges', '--init', 'atif']) {
      expect(cases.some(({ lines }) => lines.some((line) => line.includes(flag)))).toBe(true)
    }
    expect(new Set(cases.map(({ good }) => good === null))).toEqual(new Set([true, false]))
  })

  it('does something to the file', () => {
    const same = cases.filter(({ path, bytes }) => bytes.equals(readFileSync(path)))
    expect(same.length).toBeLessThan(cases.length / 10)
    // Ten of the 44 are packings, which one case in sixteen has: each new fixture draws others of them.
    expect(new Set(cases.flatMap(({ mutations }) => mutations)).size).toBeGreaterThan(37)
  })

  it('is never larger than what a command reads within seconds', () => {
    const random = randomFrom(3)
    const bytes = Buffer.from(`${JSON.stringify({ role: 'user', content: 'x'.repeat(900) })}\n`.repeat(1000))
    for (let number = 0; number < 200; number++) {
      expect(mutate({ name: 'a.jsonl', bytes }, random, () => bytes).bytes.length).toBeLessThan(900_000)
    }
  })
})

describe('a Zstandard frame made without a library', () => {
  it.each([0, 10, 131_072, 300_000])('is read, with %d bytes', async (size) => {
    const line = '{"role":"user","content":"a"}\n'
    const text = line.repeat(Math.ceil(size / line.length)).slice(0, size)
    const source = { name: 'a.jsonl.zst', chunks: [zstdFrame(Buffer.from(text))] }
    const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
    expect(await readTranscripts(source, how, () => {})).toMatchObject({ records: Math.floor(size / line.length) })
  })
})

describe('the judge', () => {
  /** Of a command without a schema. */
  const json = ['history', '--exchanges', 'a.jsonl', '--output', 'json']
  const fine = { code: 0, stdout: '', stderr: '', seconds: 0.1 }
  const said = (text: string) => Buffer.from(text)

  it.each([
    ['a bug', ['simulate'], { code: 70, stderr: 'TypeError\n    at f (/x/dist/model/run.js:1:2)\n' }, 'crash'],
    ['an exit code of its own', ['simulate'], { code: 3 }, 'exit code'],
    ['six seconds', ['simulate'], { seconds: 6 }, 'slow'],
    ['an escape on stdout', ['simulate'], { stdout: '\u001b[31mred' }, 'control character'],
    ['a C1 control character on stderr', ['simulate'], { stderr: 'a\u009bb' }, 'control character'],
    ['a line a transcript wrote', ['check', '--init'], { stdout: 'wrote\n::error::forged\n' }, 'forged line'],
    ['a refusal without a word', ['simulate'], { code: 2 }, 'silent'],
    ['undefined in a message', ['simulate'], { code: 2, stderr: 'ctxwin: undefined' }, 'senseless'],
    ['NaN in a table', ['simulate'], { stdout: 'tokens  NaN' }, 'senseless'],
    ['an infinite figure in CSV', ['simulate', '--output', 'csv'], { stdout: '1,-Infinity,2' }, 'senseless'],
    ['an object in a table of check', ['check'], { stdout: '[object Object]' }, 'senseless'],
    ['half of a JSON text', json, { stdout: '{"a":' }, 'no JSON'],
    ['half of a line of NDJSON', ['recommend', '--output', 'ndjson'], { stdout: '{"a":1}\n{"a"' }, 'no JSON'],
    ['half of the JSON of a check', ['check', '--reporter', 'json'], { stdout: '{"a"' }, 'no JSON'],
    ['half of a request', ['history', '--request'], { stdout: '{"a"' }, 'no JSON'],
    ['JSON its schema refuses', ['simulate', '--output', 'json'], { stdout: '{"runs":1}' }, 'schema'],
    ['a count below zero', json, { stdout: '{"points":[{"cuts":-1}]}' }, 'negative'],
    ['NaN as JSON writes it', json, { stdout: '{"points":[{"cuts":null}]}' }, 'no figure'],
    [
      'NaN among elements',
      ['history', '--exchanges', '--output', 'ndjson'],
      { stdout: '{"tokens":[1,null]}' },
      'no figure',
    ],
  ])('finds %s', (_, argv, ran, law) => {
    expect(judge(argv, { ...fine, ...ran }, schemas, said(''))).toMatchObject({ law, what: expect.stringMatching(/./) })
  })

  it.each([
    ['a difference below zero', json, '{"points":[{"savedTokens":-1}]}'],
    ['a difference below zero with its path for a name', json, '{"cost.savedPercent":-1}'],
    ['a figure that may be missing', json, '{"knee":null}'],
    ['a block of figures that may be missing', json, '{"spent":null}'],
    ['words of a transcript in a request', ['history', '--request'], '{"content":"NaN","null":null}'],
    ['a tool whose name is NaN-like', ['history'], 'read NaNa.txt'],
  ])('lets %s be', (_, argv, stdout) => {
    expect(judge(argv, { ...fine, stdout }, schemas, said(''))).toBeNull()
  })

  it('lets a word that a message says be, where a table prints its first words', () => {
    expect(judge(['history', '--exchanges'], { ...fine, stdout: '| 1 | NaN |' }, schemas, said('NaN'))).toBeNull()
  })

  it('gives many policies more time than one', () => {
    const eight = ['simulate', '--policy', 'forge,mimir,ikigai,exchange,duragent,keep-all,drop-steps,snap-to-user']
    expect(judge(eight, { ...fine, seconds: 6 }, schemas, said(''))).toBeNull()
    expect(judge(eight, { ...fine, seconds: 7 }, schemas, said(''))).toMatchObject({ law: 'slow' })
    expect(judge(['recommend'], { ...fine, seconds: 12 }, schemas, said(''))).toBeNull()
    expect(judge(['recommend'], { ...fine, seconds: 13 }, schemas, said(''))).toMatchObject({ law: 'slow' })
  })

  it('has nothing against what the commands make of a good file', async () => {
    const file = join(fixtures, 'claude-code/refactor.jsonl')
    for (const line of [
      ['simulate', file, '--budget', '200', '--by', 'request', '--output', 'json'],
      ['check', file, '--budget', '200', '--assert', 'maxCuts=0', '--reporter', 'json'],
      ...['recommend', 'calibrate', 'spend', 'history'].map((command) => [command, file, '--output', 'json']),
      ['history', file, '--exchanges', '--output', 'json'],
      [file, '--output', 'json'],
    ]) {
      const ran = await runCli(line)
      expect(ran.stdout).not.toBe('')
      expect(judge(line, { ...ran, seconds: 0 }, schemas, readFileSync(file))).toBeNull()
    }
  })

  describe('of an account', () => {
    const report = (more: object) =>
      ({
        ...{ format: 'codex', records: 3, used: 2, noContext: 1, leftOut: 0, damagedLines: 0, problems: [] },
        ...more,
      }) as unknown as FileReport
    const three = Buffer.from('{"a":1}\n\n{"a":2}\n{"a":3}\n')

    it.each([
      ['a record that is nowhere', { used: 1 }, 'codex records'],
      ['a record left out without a word', { used: 1, leftOut: 1 }, 'codex left out'],
      ['a line that is nowhere', { records: 2, used: 1 }, 'codex lines'],
      ['a count that is none', { used: Number.NaN }, 'codex counts'],
    ])('finds %s', (_, more, what) => {
      expect(judgeReport(report(more), three)).toEqual({ law: 'unaccounted', what })
    })

    it('takes what is told for accounted', () => {
      const problem = { code: 'unknown-record', line: 1, count: 1 }
      expect(judgeReport(report({}), three)).toBeNull()
      expect(judgeReport(report({ used: 1, leftOut: 1, problems: [problem] }), three)).toBeNull()
      const torn = { code: 'not-json', line: 1 }
      expect(judgeReport(report({ records: 2, used: 1, problems: [torn] }), three)).toBeNull()
      expect(judgeReport(report({ records: 1, used: 0 }), Buffer.from('{\n"a":\n1}'))).toBeNull()
    })
  })
})

describe('minimise', () => {
  const failure = { law: 'crash', what: 'here', line: ['simulate', 'a.jsonl'] }
  /** Fails if the file contains these words. */
  const failing = (fails: (text: string, name: string) => boolean) => ({
    run: async ({ name, bytes }: { name: string; bytes: string }) => ({
      ran: 1,
      failures: fails(Buffer.from(bytes, 'base64').toString(), name) ? [failure] : [],
    }),
  })
  const smallest = async (fails: (text: string, name: string) => boolean, text: string) => {
    const whole = { name: 'a.jsonl', bytes: Buffer.from(text), good: null }
    const { bytes, byName } = await minimise(failing(fails) as never, whole, failure)
    return { text: bytes.toString(), byName }
  }
  const filler = Array.from({ length: 50 }, (_, index) => JSON.stringify({ type: 'user', index })).join('\n')

  it('leaves the one line, and of it the one value', async () => {
    const line = '{"type":"user","message":{"content":["long text",{"bad":[1,2,3]}],"role":"user"}}'
    const { text } = await smallest((text) => text.includes('"bad"'), `${filler}\n${line}\n${filler}`)
    expect(text).toBe('{"message":{"content":[{"bad":[]}]}}')
  })

  it('leaves two lines that fail together only', async () => {
    const both = (text: string) => text.includes('"index":7}') && text.includes('"index":31}')
    expect((await smallest(both, filler)).text.split('\n')).toEqual(['{"index":7}', '{"index":31}'])
  })

  it('takes as many brackets away at the end as at the beginning', async () => {
    const depth = (text: string) =>
      /"a":(\[*)1(\]*)}/
        .exec(text)
        ?.slice(1)
        .map(({ length }) => length) ?? [0, 1]
    const deep = (text: string) => depth(text)[0] === depth(text)[1] && depth(text)[0]! > 300
    const { text } = await smallest(deep, `${filler}\n{"a":${'['.repeat(20_000)}1${']'.repeat(20_000)}}`)
    expect(text.length).toBeLessThan(1000)
    expect(depth(text)).toEqual([expect.any(Number), depth(text)[0]])
  })

  it('leaves the file as it is where it does not fail again, and knows what its name does', async () => {
    expect(await smallest(() => false, filler)).toEqual({ text: filler, byName: false })
    expect((await smallest((_, name) => name === 'a.jsonl', filler)).byName).toBe(true)
  })
})
