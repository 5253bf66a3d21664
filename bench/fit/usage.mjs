#!/usr/bin/env node
/**
 * Judges the estimator by what providers really counted: between two requests of a transcript the context grew by
 * `tokens`, and the transcript holds the text that was added.
 *
 *   npm run build && node bench/fit/usage.mjs --corpus DIR
 *
 * Reads Claude Code sessions, Codex rollouts and Gemini CLI chats. A step is left out when it holds what cannot be counted from the
 * text: thinking, images, attachments that may or may not have been sent, a context that shrank, under 1 500 characters.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { estimateTokens, familyOf } from '../../dist/estimators/families.js'
import { dot, errors, median, regress } from './regression.mjs'
import { records, transcriptFiles } from './texts.mjs'

const { values: options } = parseArgs({ options: { corpus: { type: 'string' } } })
if (!options.corpus) throw new Error('--corpus is needed')
const shortest = 1_500
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
        step = { file, model: message.model, size, texts: [], calls: 0, results: 0, messages: 1, opaque: false }
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
    step.results++
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
      step = { file, model, size: tokens.input, texts: [], calls: 0, results: 0 }
    }
    if (!step) continue
    step.texts.push(typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''))
    for (const { name, args, result = [] } of toolCalls) {
      step.calls++
      step.results++
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
      step = { file, model, texts: [], calls: 0, results: 0, opaque: false }
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
    step.results++
    step.texts.push(output)
  } else step.opaque = true
}

const readers = { 'claude-code': claudeCodeSteps, 'codex-rollout': codexSteps, 'gemini-cli': geminiSteps }
const byFamily = {}
for (const path of transcriptFiles(options.corpus)) {
  const reader = readers[path.split('/')[0]]
  if (!reader) continue
  for (const step of reader(path, records(join(options.corpus, path)))) {
    const characters = step.texts.reduce((sum, text) => sum + text.length, 0)
    if (step.tokens <= 0 || characters < shortest) continue
    const { family } = familyOf(step.model)
    const bytes = step.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const estimate = step.texts.reduce((sum, text) => sum + estimateTokens(family, text), 0)
    byFamily[family] ??= []
    byFamily[family].push({ ...step, estimate, bytes })
  }
}

const table = {}
for (const [family, steps] of Object.entries(byFamily)) {
  const counts = steps.map(({ tokens }) => tokens)
  const add = (name, values) => {
    table[`${family}, ${name}`] = errors(values, counts)
  }
  add(
    'estimate of the text',
    steps.map(({ estimate }) => estimate),
  )
  add(
    'bytes / 4',
    steps.map(({ bytes }) => bytes / 4),
  )
  const rows = steps.map(({ estimate, calls, results }) => [estimate, calls, results, 1])
  const found = regress(rows, counts, { ridge: 1e-3 })
  add(
    'estimate and overhead',
    rows.map((row) => dot(row, found)),
  )
  const [scale, call, result, message] = [...found].map((value) => Math.round(value * 100) / 100)
  console.log(
    family,
    { steps: steps.length, files: new Set(steps.map(({ file }) => file)).size, scale, call, result, message },
    'median ratio',
    median(steps.map(({ estimate, tokens }) => tokens / estimate)).toFixed(3),
  )
}
console.table(table)
