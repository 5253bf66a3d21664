#!/usr/bin/env node
/**
 * Measures what providers count around the text of a conversation, from recorded usage, and the estimator's error per
 * step. A step is a response and the messages after it: between two requests the context grew by a recorded number of
 * tokens, and the transcript has what was added.
 *
 *   npm run build && node tools/fit/usage.mjs [--out FILE] DIRECTORY…
 *
 * Three kinds of equations are solved together for a family: the recorded tokens of a response (if that figure can be the
 * whole response: many sessions record the first one of a stream), the growth minus the response, and the whole growth if
 * the response's figure is useless. Steps with images or documents, compactions, and a context that shrank are left out.
 * --out writes src/estimators/overheads.data.json.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openFile } from '../../dist/app/index.js'
import { countTokens } from '../../dist/estimators/bpe/counter.js'
import { estimateTokens } from '../../dist/estimators/families.js'
import { callTexts } from '../../dist/estimators/family-meter.js'
import { familyOf } from '../../dist/model/families.js'
import { readTranscripts } from '../../dist/readers/read.js'
import { dot, errors, quantile, regress } from './regression.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' } },
})
if (positionals.length === 0) throw new Error('name directories of transcripts')
const columns = ['text', 'call', 'parameter', 'result', 'thinking', 'opaque', 'step']
const exact = { o200k: 'o200k_base', cl100k: 'cl100k_base' }

/** The steps of one transcript: the columns of what was added before each request, for the response and for the rest. */
function stepsOf(trace, file, family) {
  const encoding = exact[family]
  const tokens = (text) => (encoding ? countTokens(encoding, text) : estimateTokens(family, text))
  const steps = []
  for (let request = 1; request < trace.requests; request++) {
    const [before, after] = [trace.usage(request - 1), trace.usage(request)]
    const [from, to] = [trace.requestAt(request - 1), trace.requestAt(request)]
    if (!before || !after || trace.compactions.some(({ at }) => at > from && at <= to)) continue
    const step = { file, growth: after.input - before.input, output: before.output, prompt: false, whole: true }
    step.response = emptyRow()
    step.rest = { ...emptyRow(), step: 1 }
    for (let index = from; index < to; index++) {
      const { role, blocks } = trace.messages[index]
      const row = role === 'assistant' ? step.response : step.rest
      if (trace.isReset(index)) step.whole = false
      if (trace.isPrompt(index)) step.prompt = true
      if (role === 'tool') row.result++
      for (const block of blocks) {
        if (block.type === 'text') row.text += tokens(block.text)
        else if (block.type === 'thinking') row.thinking += tokens(block.text)
        else if (block.type === 'opaque') row.opaque += block.bytes
        else if (block.type === 'call') {
          const { texts, parameters } = callTexts(family, block)
          row.call++
          row.parameter += parameters
          for (const text of texts) row.text += tokens(text)
        } else step.whole = false
      }
    }
    if (step.whole && step.growth > 0) steps.push(step)
  }
  return steps
}

const emptyRow = () => Object.fromEntries(columns.map((column) => [column, 0]))
const listOf = (...rows) => columns.map((column) => rows.reduce((sum, row) => sum + row[column], 0))

/** The three kinds of equations: a row of columns and the tokens it adds up to. */
function equationsOf(steps) {
  const rows = []
  for (const { growth, output, prompt, response, rest } of steps) {
    const reliable = output > 8 && output >= 0.9 * response.text
    if (!reliable) rows.push([listOf(response, rest), growth])
    else {
      rows.push([listOf(response), output])
      // The provider may drop the reasoning at the next user message.
      if (!prompt && growth > output) rows.push([listOf(rest), growth - output])
    }
  }
  return rows
}

const byFamily = {}
for (const directory of positionals)
  for (const name of readdirSync(directory, { recursive: true })
    .filter((name) => /\.jsonl?$/.test(name))
    .sort()) {
    const file = join(directory, name)
    try {
      await readTranscripts(openFile(file), { format: 'auto', sizersFor: () => [], keepMessages: true }, (trace) => {
        const { family } = familyOf(trace.head.model ?? '')
        byFamily[family] ??= []
        byFamily[family].push(...stepsOf(trace, file, family))
      })
    } catch (error) {
      if (error.name !== 'CtxwinError') throw error
    }
  }

const rounded = (value) => Math.round(value * 100) / 100
const table = {}
const found = {}
for (const [family, steps] of Object.entries(byFamily)) {
  if (steps.length < 40) continue
  // If a family hides its reasoning, most of what is counted beyond the text of a response is reasoning. The smallest such
  // excess is the cost of a call.
  const hidden = steps.every(({ response }) => response.thinking === 0)
  const equations = equationsOf(steps).filter(
    ([row, tokens]) => !hidden || row[columns.indexOf('step')] > 0 || tokens === 0,
  )
  const fitted = regress(
    equations.map(([row]) => row),
    equations.map(([, tokens]) => tokens),
    { ridge: 1e-3 },
  )
  const beyond = steps
    .filter(({ response }) => response.call > 0)
    .map(({ output, response }) => (output - response.text) / response.call)
  const overhead = Object.fromEntries(
    columns.slice(1).map((column, at) => [column, rounded(Math.max(0, fitted[at + 1]))]),
  )
  if (hidden) Object.assign(overhead, { call: rounded(Math.max(0, quantile(beyond, 0.1))), thinking: 0, opaque: 0 })
  // No transcript has encrypted reasoning of this family: that of claude-4.6 is assumed.
  else if (!equations.some(([row]) => row[columns.indexOf('opaque')] > 0))
    overhead.opaque = found['claude-4.6']?.opaque ?? 0
  const files = new Set(steps.map(({ file }) => file)).size
  found[family] = { ...overhead, textScale: rounded(fitted[0]), steps: steps.length, transcripts: files }
  const judged = equations.filter(([, tokens]) => tokens > 0)
  table[family] = errors(
    judged.map(([row]) => dot(row, fitted)),
    judged.map(([, tokens]) => tokens),
  )
}
console.table(found)
console.table(table)
if (options.out) {
  const lines = Object.entries(found).map(
    ([family, values]) => `  ${JSON.stringify(family)}: ${JSON.stringify(values)}`,
  )
  writeFileSync(options.out, `{\n${lines.join(',\n')}\n}\n`)
}
