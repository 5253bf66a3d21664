#!/usr/bin/env node
/**
 * Judges the estimator by what providers really counted: between two requests of a transcript the context grew by
 * `tokens`, and the transcript holds the text that was added.
 *
 *   npm run build && node bench/fit/usage.mjs --corpus DIR
 *
 * Reads Claude Code sessions, Codex rollouts, Gemini CLI chats and opencode exports. A step is left out when it holds what cannot be counted from the
 * text: thinking, images, attachments that may or may not have been sent, a context that shrank. --out FILE
 * writes the overheads found, as src/estimators/overheads.data.json keeps them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { estimateTokens, familyOf } from '../../dist/estimators/families.js'
import { dot, errors, regress } from './regression.mjs'
import { records, transcriptFiles } from './texts.mjs'

const { values: options } = parseArgs({ options: { corpus: { type: 'string' }, out: { type: 'string' } } })
if (!options.corpus) throw new Error('--corpus is needed')
const long = 1_500
/** Attachments that Claude Code records and never sends. */
const bookkeeping = new Set(['hook_success', 'hook_non_blocking_error', 'hook_system_message', 'command_permissions'])

/** What was added between requests, `{file, model, tokens, texts, calls, results}`, from one Claude Code session. */
function* claudeCodeSteps(file, lines) {
  let step
  let answers = new Set()
  for (const { type, isSidechain, subtype, attachment, isCompactSummary, message } of lines) {
    if (isSidechain) continue
    if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary' || isCompactSummary) step = undefined
    if (step && attachment && !bookkeeping.has(attachment.type)) step.opaque = true
    if (type === 'assistant' && message?.usage && message.model !== '<synthetic>') {
      const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = message.usage
      const size = input_tokens + cache_read_input_tokens + cache_creation_input_tokens
      if (!answers.has(message.id)) {
        if (step && !step.opaque) yield { ...step, tokens: size - step.size }
        answers = new Set([message.id])
        step = { file, model: message.model, size, texts: [], calls: 0, messages: 1, opaque: false }
      }
      if (step) for (const block of message.content) take(step, block)
    } else if (type === 'user' && step && message) {
      if (typeof message.content === 'string') take(step, { type: 'text', text: message.content })
      else for (const block of message.content) take(step, block)
    }
  }
}

function take(step, block) {
  if (block.type === 'text') step.texts.push(block.text)
  else if (block.type === 'tool_use') {
    step.calls++
    step.texts.push(block.name, JSON.stringify(block.input))
  } else if (block.type === 'tool_result') {
    if (typeof block.content === 'string') step.texts.push(block.content)
    else for (const part of block.content ?? []) take(step, part)
  } else step.opaque = true
}

/** The same from one Gemini CLI chat: `thoughts` are not sent back, so a step with thoughts still counts. */
function* geminiSteps(file, [{ messages = [] } = {}]) {
  let step
  for (const { type, content, tokens, model, toolCalls = [] } of messages) {
    if (type === 'gemini' && tokens) {
      if (step) yield { ...step, tokens: tokens.input - step.size }
      step = { file, model, size: tokens.input, texts: [], calls: 0 }
    }
    if (!step) continue
    step.texts.push(typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''))
    for (const { name, args, result = [] } of toolCalls) {
      step.calls++
      step.texts.push(name, JSON.stringify(args))
      for (const { functionResponse } of result) step.texts.push(functionResponse?.response?.output ?? '')
    }
  }
}

/** The same from one Codex rollout. Reasoning comes back encrypted: steps with it are left out. */
function* codexSteps(file, lines) {
  const steps = []
  let step
  let model = ''
  for (const { type, payload } of lines) {
    if (type === 'turn_context') model = payload.model
    if (type === 'compacted') steps.push({ opaque: true })
    if (type === 'event_msg' && payload.type === 'token_count' && step)
      step.size ??= payload.info?.last_token_usage.input_tokens
    if (type !== 'response_item') continue
    const answers = payload.role ? payload.role === 'assistant' : !payload.type.endsWith('_output')
    if (answers && step?.size !== undefined) step = undefined
    if (answers && !step) {
      step = { file, model, texts: [], calls: 0, opaque: false }
      steps.push(step)
    }
    if (step) takeItem(step, payload)
  }
  for (const [at, { size, opaque, ...rest }] of steps.entries()) {
    const tokens = (steps[at + 1]?.size ?? Number.NaN) - size
    if (!opaque && tokens > 0) yield { ...rest, tokens }
  }
}

function takeItem(step, { type, name = '', arguments: args, input, output, content }) {
  if (type === 'message')
    for (const { text } of content) take(step, { type: text === undefined ? 'image' : 'text', text })
  else if (/^(custom_tool|function)_call$/.test(type)) {
    step.calls++
    step.texts.push(name, args ?? input)
  } else if (/^(custom_tool|function)_call_output$/.test(type) && typeof output === 'string') {
    step.texts.push(output)
  } else step.opaque = true
}

/** The same from one opencode export. */
function* opencodeSteps(file, [{ messages = [] } = {}]) {
  let step
  for (const { info, parts = [] } of messages) {
    if (info.role === 'assistant' && info.tokens) {
      const { input = 0, cache: { read = 0, write = 0 } = {} } = info.tokens
      if (step && !step.opaque) yield { ...step, tokens: input + read + write - step.size }
      step = { file, model: info.modelID, size: input + read + write, texts: [], calls: 0, opaque: false }
    }
    if (!step) continue
    for (const { type, text, tool, state } of parts)
      if (type === 'text') step.texts.push(text)
      else if (type === 'tool' && state.status === 'completed') {
        step.calls++
        step.texts.push(tool, JSON.stringify(state.input), state.output)
      } else if (!/^step-|^snapshot|^patch/.test(type)) step.opaque = true
  }
}

const readers = {
  'claude-code': claudeCodeSteps,
  'codex-rollout': codexSteps,
  'gemini-cli': geminiSteps,
  'opencode-export': opencodeSteps,
}
const byFamily = {}
for (const path of transcriptFiles(options.corpus)) {
  const reader = readers[path.split('/')[0]]
  if (!reader) continue
  for (const step of reader(path, records(join(options.corpus, path)))) {
    const characters = step.texts.reduce((sum, text) => sum + text.length, 0)
    if (!(step.tokens > 0)) continue
    const { family } = familyOf(step.model)
    const bytes = step.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const estimate = step.texts.reduce((sum, text) => sum + estimateTokens(family, text), 0)
    byFamily[family] ??= []
    byFamily[family].push({ ...step, characters, estimate, bytes })
  }
}

/** One overhead a tool call with its result (they come in pairs, so they cannot be told apart), one a step. */
const rowOf = ({ estimate, calls }) => [estimate, calls, 1]
const overheadOf = (steps) =>
  regress(
    steps.map(rowOf),
    steps.map(({ tokens }) => tokens),
    { ridge: 1e-3 },
  )
const rounded = (value) => Math.round(value * 100) / 100

const table = {}
const found = {}
for (const [family, steps] of Object.entries(byFamily)) {
  const files = [...new Set(steps.map(({ file }) => file))]
  const [textScale, toolUse, step] = overheadOf(steps)
  found[family] = {
    toolUse: rounded(toolUse),
    step: rounded(step),
    textScale: rounded(textScale),
    steps: steps.length,
    transcripts: files.length,
  }
  // Each step is judged by overheads fitted without its transcript; where one transcript has most steps, without its tenth.
  const largest = Math.max(...files.map((name) => steps.filter(({ file }) => file === name).length))
  const partOf = (item, at) => (largest < steps.length / 2 ? files.indexOf(item.file) : at % 10)
  const without = new Map()
  const withOverhead = steps.map((item, at) => {
    const part = partOf(item, at)
    if (!without.has(part)) without.set(part, overheadOf(steps.filter((other, index) => partOf(other, index) !== part)))
    return dot(rowOf(item), without.get(part))
  })
  for (const [size, chosen] of Object.entries({
    'all steps': steps.keys(),
    [`steps over ${long} characters`]: [...steps.keys()].filter((at) => steps[at].characters >= long),
  })) {
    const judge = (name, values) => {
      const pick = (list) => [...chosenIds].map((at) => list[at])
      table[`${family}, ${size}, ${name}`] = errors(pick(values), pick(steps.map(({ tokens }) => tokens)))
    }
    const chosenIds = [...chosen]
    judge(
      'text alone',
      steps.map(({ estimate }) => estimate),
    )
    judge('text and overhead', withOverhead)
    judge(
      'bytes / 4',
      steps.map(({ bytes }) => bytes / 4),
    )
  }
}
console.table(found)
console.table(table)
if (options.out) {
  const lines = Object.entries(found).map(
    ([family, values]) => `  ${JSON.stringify(family)}: ${JSON.stringify(values)}`,
  )
  writeFileSync(options.out, `{\n${lines.join(',\n')}\n}\n`)
}
