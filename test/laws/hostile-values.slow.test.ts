/** No command may break on any JSON value in a transcript. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../cli/run.ts'
import { cases } from '../whole.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-values-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** Values as JSON text, because JSON.stringify cannot write values as deep as JSON.parse can read. */
const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"__proto__":', '}]']), fc.integer({ min: 1, max: 5000 }))
  .map(([[open, close], depth]) => `${open?.repeat(depth)}1${close?.repeat(depth)}`)

const names = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\ud800', 'a'.repeat(300))

const huge = fc.constantFrom('a', 'src/', ' ', '你').map((unit) => unit.repeat((1 << 20) / unit.length))

/** Any value, as JSON text. */
const value = fc.oneof(
  { weight: 8, arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)) },
  {
    weight: 4,
    arbitrary: fc.tuple(names, names).map(([key, word]) => `{${JSON.stringify(key)}:${JSON.stringify(word)}}`),
  },
  { weight: 4, arbitrary: nested },
  { weight: 1, arbitrary: huge.map((word) => JSON.stringify(word)) },
)
const name = fc.oneof(
  { weight: 4, arbitrary: names.map((word) => JSON.stringify(word)) },
  { weight: 1, arbitrary: value },
)
/** Only a few ids, so that most are duplicates. */
const id = fc.constantFrom('"a"', '"b"', '"__proto__"', '""', 'null')

/** A call and its result, in the form of each API. */
const openai = fc
  .record({ prompt: value, system: value, id, other: id, name, input: value, result: value })
  .map((it) => {
    const call = `{"id":${it.id},"type":"function","function":{"name":${it.name},"arguments":${it.input}}}`
    return [
      `{"role":"user","content":${it.prompt}}`,
      `{"role":"system","content":${it.system}}`,
      `{"role":"assistant","content":"go","tool_calls":[${call},${call}]}`,
      `{"role":"tool","tool_call_id":${it.other},"content":${it.result}}`,
    ].join(',')
  })
const anthropic = fc
  .record({ prompt: value, id, other: id, name, input: value, result: value })
  .map((it) =>
    [
      `{"role":"user","content":${it.prompt}}`,
      `{"role":"user","content":"hello"}`,
      `{"role":"assistant","content":[{"type":"tool_use","id":${it.id},"name":${it.name},"input":${it.input}}]}`,
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":${it.other},"content":${it.result}}]}`,
    ].join(','),
  )

const transcript = fc.oneof(
  fc.record({
    format: fc.constant('openai-chat'),
    steps: fc.array(openai, { minLength: 1, maxLength: 3 }),
    tool: value,
    name,
  }),
  fc.record({
    format: fc.constant('anthropic-messages'),
    steps: fc.array(anthropic, { minLength: 1, maxLength: 3 }),
    tool: value,
    name,
  }),
)

const small = ['--budget', '300', '--estimator', 'bytes']
const commands: readonly (readonly string[])[] = [
  ['simulate', ...small, '--policy', 'ikigai,forge,mimir', '--output', 'json'],
  ['recommend', ...small, '--policy', 'ikigai,forge,mimir', '--output', 'json'],
  ['history', '--request', ...small, '--provider', 'google'],
  ['history', '--full', ...small, '--lost', '--output', 'json'],
  ['history', '--exchanges', '--estimator', 'bytes', '--output', 'json'],
]

it('every command comes to its end, without a word of a bug, and prints JSON', async () => {
  await fc.assert(
    fc.asyncProperty(transcript, async ({ format, steps, tool, name }) => {
      const definition = `{"type":"function","name":${name},"function":{"name":${name},"parameters":${tool}}}`
      const text = `{"tools":[${definition},${tool}],"system":"be brief","messages":[${steps.join(',')}]}`
      writeFileSync(join(cwd, 't.jsonl'), text)
      for (const [command = '', ...options] of commands) {
        const { code, stdout, stderr } = await runCli([command, 't.jsonl', '--format', format, ...options], { cwd })
        expect([command, code, stderr]).toEqual([command, 0, expect.not.stringContaining('bug')])
        expect(() => JSON.parse(stdout)).not.toThrow()
      }
    }),
    { numRuns: cases(8), seed: 7 },
  )
}, 300_000)
