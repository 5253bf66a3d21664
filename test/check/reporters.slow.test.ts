import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { type Outcome, resultOf } from '../../src/check/outcome.ts'
import { checkReporters } from '../../src/check/reporters/index.ts'
import { reporterNames } from '../../src/cli/inputs/settings.ts'
import { codePoint } from '../any-text.ts'

const outcome = (change: Partial<Outcome> = {}): Outcome => ({
  rule: 'maxPeakTokens',
  level: 'error',
  status: 'fail',
  file: 't/a.jsonl',
  line: 9,
  run: '',
  message: 'peakTokens is 120, at most 100 allowed (20 over)',
  metric: 'peakTokens',
  actual: 120,
  limit: 100,
  difference: 20,
  command: 'ctxwin simulate t/a.jsonl --budget 100',
  ...change,
})

/** Characters with a meaning in one of the formats. */
const hostile = 'a%\n::error::b\r\u001b[31m<script>&"\'|`]]>\u0000\u202e\ud800\uffff,:@all ../x?#'

const samples: readonly Outcome[] = [
  outcome(),
  outcome({ rule: 'maxCuts', status: 'pass', line: 0, command: null }),
  outcome({ rule: 'maxBelievedTokens', status: 'skipped', actual: null, difference: null }),
  outcome({ rule: 'baseline/new', level: 'warn', line: 0, actual: null, limit: null, difference: null, command: null }),
  outcome({ file: hostile, run: hostile, message: hostile, command: hostile, metric: null }),
]

const checked = { policies: ['ikigai'], budgets: [100_000] }

function render(name: string, outcomes = samples, directory = '', incomplete: readonly string[] = []): string {
  const result = resultOf(checked, 2, outcomes, ['a note'], [], incomplete)
  return [...checkReporters.get(name).render(result, { color: false, width: Infinity, directory })].join('')
}

const {
  id: _id,
  $schema: _draft,
  ...schema
} = createRequire(import.meta.url)('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as {
  id: string
  $schema: string
}
// For this schema, draft 4 differs from ajv's draft 7 only in the name of `id`.
const isSarif = new Ajv({
  strict: false,
  validateFormats: false,
  unicodeRegExp: false,
  code: { optimize: false },
}).compile(schema)
const xsd = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8')

/** Of several texts at once: each call starts a thread and compiles the validator in it. */
async function faultsOfJunit(...texts: readonly string[]): Promise<string[]> {
  const xml = texts.map((contents, nth) => ({ fileName: `junit-${nth}.xml`, contents }))
  const { errors } = await validateXML({ xml, schema: [xsd] })
  return errors.map(({ message }) => message)
}

/** Any text, with more of what XML has or forbids than a draw of all characters would ever bring. */
const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: fc.oneof(codePoint, fc.constantFrom(...'&<>"\'\u0000\ufffe\uffff')) })

const anyOutcome: fc.Arbitrary<Outcome> = fc.record({
  rule: fc.constantFrom('maxCuts', 'baseline/stale', 'unreadable'),
  level: fc.constantFrom('error', 'warn'),
  status: fc.constantFrom('pass', 'fail', 'skipped'),
  file: anyText({ minLength: 1 }),
  line: fc.nat(),
  run: anyText(),
  message: anyText(),
  metric: fc.option(fc.constant('cuts')),
  actual: fc.option(fc.integer()),
  limit: fc.option(fc.integer()),
  difference: fc.option(fc.integer()),
  command: fc.option(anyText()),
})

describe('the reporters', () => {
  it('are named on the command line as in the registry', () => {
    expect([...reporterNames]).toEqual(checkReporters.names)
  })

  it('default: what failed, where, how to see it again', () => {
    expect(render('default', samples.slice(0, 4))).toBe(`error t/a.jsonl:9 maxPeakTokens
      peakTokens is 120, at most 100 allowed (20 over)
      ctxwin simulate t/a.jsonl --budget 100

warn  t/a.jsonl baseline/new
      peakTokens is 120, at most 100 allowed (20 over)

skipped maxBelievedTokens 1 time: the transcript has no such figure
a note
failed: 1 error, 1 warning, 2 transcripts, 2 checks (maxCuts, maxPeakTokens) under ikigai at 100k
`)
  })

  it('github: an annotation a line, and nothing that could start another command', () => {
    expect(render('github', samples.slice(0, 4))).toBe(
      '::error file=t/a.jsonl,line=9,title=ctxwin maxPeakTokens::peakTokens is 120, at most 100 allowed (20 over)%0Actxwin simulate t/a.jsonl --budget 100\n' +
        '::warning file=t/a.jsonl,title=ctxwin baseline/new::peakTokens is 120, at most 100 allowed (20 over)\n',
    )
    const [command, ...more] = render('github', samples.slice(4)).split(/[\r\n]/)
    expect(more).toEqual([''])
    const properties = command?.match(/^::error (.*?)::/)?.[1]?.split(',')
    expect(properties?.map((pair) => pair.replace(/=.*/, ''))).toEqual(['file', 'line', 'title'])
    expect(properties?.[0]).toMatch(/^file=a%25\\n\\x3a%3Aerror%3A%3Ab\\r.*%2C%3A@all \.\.\/x\?#$/)
    expect(render('github', samples.slice(0, 1), 'packages/one/')).toContain('file=packages/one/t/a.jsonl,')
  })

  it('junit: valid, with the counts it says', async () => {
    const text = render('junit')
    expect(await faultsOfJunit(text)).toEqual([])
    expect(text).toContain('<testsuites name="ctxwin check" tests="5" failures="2" errors="0">')
    expect(text).toContain('<testsuite name="t/a.jsonl" tests="4" failures="1" errors="0" skipped="1">')
    expect(text).toContain(`    <testcase name="maxPeakTokens" classname="t/a.jsonl">
      <failure type="maxPeakTokens" message="peakTokens is 120, at most 100 allowed (20 over)">t/a.jsonl:9
peakTokens is 120, at most 100 allowed (20 over)
ctxwin simulate t/a.jsonl --budget 100</failure>
    </testcase>
    <testcase name="maxCuts" classname="t/a.jsonl"/>
`)
    expect(await faultsOfJunit(text.replace('classname=', 'class='))).not.toEqual([])
  })

  it('sarif: valid against the OASIS schema, with a place for each finding', () => {
    const log = JSON.parse(render('sarif', samples, 'packages/one/'))
    expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true)
    const [{ tool, results }] = log.runs
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['baseline/new', 'maxPeakTokens'])
    expect(results).toHaveLength(3)
    expect(results[0]).toEqual({
      ruleId: 'maxPeakTokens',
      ruleIndex: 1,
      level: 'error',
      message: { text: 'peakTokens is 120, at most 100 allowed (20 over)' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'packages/one/t/a.jsonl', uriBaseId: '%SRCROOT%' },
            region: { startLine: 9 },
          },
        },
      ],
      properties: {
        metric: 'peakTokens',
        actual: 120,
        limit: 100,
        difference: 20,
        command: 'ctxwin simulate t/a.jsonl --budget 100',
      },
    })
    expect(results[1].locations[0].physicalLocation.region).toBeUndefined()
    expect(results[2].locations[0].physicalLocation.artifactLocation.uri).toMatch(/^packages\/one\/a%25%0A%3A%3Aerror/)
    expect(isSarif({ ...log, version: '2.0.0' })).toBe(false)
  })

  it('markdown: a row a finding, and text that stays text', () => {
    const lines = render('markdown').split('\n')
    expect(lines).toContain(
      '| error | t/a.jsonl:9 | maxPeakTokens | peakTokens is 120, at most 100 allowed (20 over) |',
    )
    expect(lines).toContain('- `ctxwin simulate t/a.jsonl --budget 100`')
    const row = lines.filter((line) => line.startsWith('| error |')).at(-1) as string
    // No hostile text may appear outside code spans.
    const bare = row.replaceAll('\\|', '').replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
    expect(bare).toBe('| error |  |  |  |')
    expect(render('markdown', Array(250).fill(outcome())).match(/^\| error/gm)).toHaveLength(100)
  })

  it('say that a check is incomplete and why, where all that was checked is well', async () => {
    const passed = samples.filter(({ status }) => status === 'pass')
    const say = (name: string) => render(name, passed, '', ['not every input could be read', hostile])
    expect(say('default')).toMatch(
      /^a note\nincomplete: 2 transcripts, 1 check \(maxCuts\) under ikigai at 100k; not every input could be read; a%\\n\\x3a:error/,
    )
    expect(say('markdown')).toMatch(/^incomplete: 2 transcripts, .*; not every input could be read; /m)
    expect(say('github').split('\n').slice(0, 1)).toEqual([
      '::error title=ctxwin incomplete::not every input could be read',
    ])
    expect(say('github')).toMatch(/^(::error title=ctxwin incomplete::[^\r\n]+\n){2}$/)
    expect(await faultsOfJunit(say('junit'))).toEqual([])
    expect(say('junit')).toContain('<testsuites name="ctxwin check" tests="3" failures="0" errors="2">')
    expect(say('junit')).toContain('<error type="incomplete" message="not every input could be read">')
    const log = JSON.parse(say('sarif'))
    expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true)
    expect(log.runs[0].invocations).toMatchObject([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: 'error', message: { text: 'not every input could be read' } }, {}],
      },
    ])
    expect(JSON.parse(render('sarif', passed)).runs[0].invocations).toEqual([{ executionSuccessful: true }])
    expect(JSON.parse(say('json')).incomplete).toHaveLength(2)
    for (const name of checkReporters.names) expect(say(name), name).not.toMatch(/\bok\b/)
  })

  it('junit: a file that cannot be read is a test that could not be run', async () => {
    const text = render('junit', [outcome({ rule: 'unreadable', line: 0, command: null }), ...samples.slice(0, 2)])
    expect(await faultsOfJunit(text)).toEqual([])
    expect(text).toContain('<testsuite name="t/a.jsonl" tests="3" failures="1" errors="1" skipped="0">')
    expect(text).toContain('<testcase name="unreadable" classname="t/a.jsonl">\n      <error type="unreadable" ')
  })

  it('json: the result as it is', () => {
    expect(JSON.parse(render('json', samples.slice(0, 4)))).toEqual(
      resultOf(checked, 2, samples.slice(0, 4), ['a note'], []),
    )
  })

  it.each(checkReporters.names)('%s is harmless and whole, whatever the names', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOutcome, { maxLength: 4 }), async (outcomes) => {
        const text = render(name, outcomes)
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
        if (name === 'sarif') expect(isSarif(JSON.parse(text))).toBe(true)
        if (name === 'json') JSON.parse(text)
        if (name === 'github')
          expect(text.match(/^::(error|warning) /gm) ?? []).toHaveLength(text.split('\n').length - 1)
      }),
      { numRuns: 60 },
    )
  })

  it('junit is XML, whatever the names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyOutcome, { maxLength: 4 }), { minLength: 30 }), async (checks) => {
        expect(await faultsOfJunit(...checks.map((outcomes) => render('junit', outcomes)))).toEqual([])
      }),
      { numRuns: 1 },
    )
  })
})
