/**
 * Writes a transcript of any size, similar to real ones, with the same bytes for the same arguments:
 *
 *     node bench/generate.mjs --bytes 50mb [--seed 1] [--messages] big.jsonl
 *
 * Without --messages it looks like a Claude Code session: responses split over lines that repeat their usage, tool
 * results repeated in a larger `toolUseResult` that is never sent, a third of the lines `progress`, a few lines of
 * hundreds of kilobytes. With --messages each line is one `{"messages": [...]}` in OpenAI's chat form.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export function generate(path, { bytes, seed = 1, messages = false }) {
  const random = randomFrom(seed)
  const text = textsFrom(random)
  const lines = messages ? chatLines(random, text) : sessionLines(random, text)
  const file = openSync(path, 'w')
  try {
    for (let written = 0; written < bytes; ) {
      const block = Buffer.from(nextBlock(lines, bytes - written))
      writeFileSync(file, block)
      written += block.length
    }
  } finally {
    closeSync(file)
  }
}

function nextBlock(lines, atLeast) {
  let block = ''
  while (block.length < Math.min(atLeast, 1 << 20)) block += `${JSON.stringify(lines.next().value)}\n`
  return block
}

/** A mulberry32 generator, with the distributions that are needed here. */
export function randomFrom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    one: (list) => list[below(list.length)],
    /** Lognormal: most draws near the median, a long tail, never above `most`. */
    size: (median, spread, most) => {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
      return Math.min(most, Math.max(1, Math.round(median * Math.exp(spread * normal))))
    },
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

/** Makes texts: slices of a pool of prose and code, with quotes, tabs and line feeds that JSON must escape. */
function textsFrom(random) {
  const syllables = 'con tex win ser ver lo op da ta re que st pro to col is en al in for ma tion me mo ry'.split(' ')
  const words = Array.from({ length: 2000 }, () =>
    Array.from({ length: 1 + random.below(4) }, () => random.one(syllables)).join(''),
  )
  const foreign = ['déjà', '“quoted”', '→', '✓', '漢字', '└──', 'größe', '🙂']
  const pool = (strange) => {
    let text = ''
    while (text.length < 1 << 20) {
      const word = () => (strange && random.chance(0.05) ? random.one(foreign) : random.one(words))
      const code = () => `\tconst ${word()} = ${word()}("${word()}", { ${word()}: ${random.below(1000)} })\n`
      const prose = () => `${Array.from({ length: 12 }, word).join(' ')}.\n`
      text += random.chance(0.5) ? code() : prose()
    }
    return text
  }
  const plain = pool(false)
  const strange = pool(true)
  return (length) => {
    const source = random.chance(0.3) ? strange : plain
    const from = random.below(source.length)
    let text = source.slice(from, from + length)
    while (text.length < length) text += source.slice(0, length - text.length)
    // A slice may cut an emoji in half, and jq refuses lone surrogates.
    return text.toWellFormed()
  }
}

const tools = ['Bash', 'Read', 'Edit', 'Grep', 'Write']

function* sessionLines(random, text) {
  const sessionId = uuid(random)
  let clock = Date.UTC(2026, 0, 1)
  let parentUuid = null
  let sent = 20_000
  const envelope = (type, members) => {
    clock += 1 + random.below(20_000)
    const record = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/project',
      sessionId,
      version: '2.1.0',
      gitBranch: 'main',
      type,
      ...members,
      uuid: uuid(random),
      timestamp: new Date(clock).toISOString(),
    }
    parentUuid = record.uuid
    return record
  }
  for (;;) {
    const messageId = uuid(random)
    yield {
      type: 'file-history-snapshot',
      messageId,
      snapshot: { messageId, trackedFileBackups: {} },
      isSnapshotUpdate: false,
    }
    const prompt = text(random.size(200, 1, 20_000))
    sent += prompt.length >> 2
    yield envelope('user', { message: { role: 'user', content: prompt } })
    let cached = 0
    for (let steps = random.size(6, 0.8, 60); steps >= 0; steps--) {
      const calls = steps === 0 ? [] : Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => toolCall(random, text))
      const blocks = [...(random.chance(0.4) ? [thinking(random, text)] : []), spoken(random, text), ...calls]
      const id = `msg_${random.hex(24)}`
      const requestId = `req_${random.hex(24)}`
      const usage = {
        input_tokens: 4,
        cache_creation_input_tokens: sent - cached,
        cache_read_input_tokens: cached,
        cache_creation: { ephemeral_5m_input_tokens: sent - cached, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1 + random.below(8),
        service_tier: 'standard',
      }
      cached = sent
      for (const block of blocks) {
        sent += JSON.stringify(block).length >> 2
        const message = {
          model: 'claude-opus-4-5',
          id,
          type: 'message',
          role: 'assistant',
          content: [block],
          stop_reason: null,
          usage,
        }
        yield envelope('assistant', { requestId, message })
      }
      for (const call of calls) {
        for (let ticks = random.below(4); ticks > 0; ticks--) yield envelope('progress', progress(random, text, call))
        const output = text(random.size(900, 1.6, 60_000))
        sent += output.length >> 2
        yield envelope('user', {
          message: {
            role: 'user',
            content: [{ tool_use_id: call.id, type: 'tool_result', content: output, is_error: false }],
          },
          toolUseResult: copyForTheScreen(random, text, call, output),
        })
      }
    }
    yield envelope('system', { subtype: 'turn_duration', durationMs: random.below(600_000), isMeta: false })
  }
}

function uuid(random) {
  return `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}`
}

function toolCall(random, text) {
  const name = random.one(tools)
  return {
    type: 'tool_use',
    id: `toolu_${random.hex(24)}`,
    name,
    input: { command: text(random.size(120, 1.2, 10_000)), timeout: 1000 },
  }
}

function spoken(random, text) {
  return { type: 'text', text: text(random.size(250, 1.1, 20_000)) }
}

function thinking(random, text) {
  return { type: 'thinking', thinking: text(random.size(400, 1, 20_000)), signature: random.hex(400) }
}

function progress(random, text, call) {
  const output = text(random.size(300, 1, 5_000))
  return {
    data: {
      type: 'bash_progress',
      output,
      fullOutput: output,
      elapsedTimeSeconds: random.below(60),
      totalLines: random.below(500),
    },
    toolUseID: `bash-progress-${random.below(100)}`,
    parentToolUseID: call.id,
  }
}

/** The `toolUseResult` of a call: what the terminal showed, for an edit with the whole original file. Never sent. */
function copyForTheScreen(random, text, call, output) {
  if (call.name !== 'Edit') return { stdout: output, stderr: '', interrupted: false, isImage: false }
  const originalFile = text(random.size(5_000, 1.3, 1_500_000))
  return {
    filePath: '/home/dev/project/file.ts',
    oldString: text(80),
    newString: text(90),
    originalFile,
    userModified: false,
  }
}

function* chatLines(random, text) {
  for (;;) {
    const messages = [{ role: 'system', content: text(1500) }]
    for (let exchanges = random.size(3, 0.6, 20); exchanges > 0; exchanges--) {
      messages.push({ role: 'user', content: text(random.size(200, 1, 10_000)) })
      for (let calls = random.below(4); calls > 0; calls--) {
        const id = `call_${random.hex(24)}`
        const call = {
          name: random.one(tools).toLowerCase(),
          arguments: JSON.stringify({ command: text(random.size(80, 1, 4_000)) }),
        }
        messages.push({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] })
        messages.push({ role: 'tool', tool_call_id: id, content: text(random.size(700, 1.5, 40_000)) })
      }
      messages.push({ role: 'assistant', content: text(random.size(400, 1, 10_000)) })
    }
    yield { messages }
  }
}

/** `50mb`, `200kb`, `1gb`, or plain bytes; the units are decimal. */
export function bytesOf(words) {
  const [, count, unit = ''] = /^(\d+)(kb|mb|gb)?$/i.exec(words) ?? []
  if (count === undefined) throw new Error(`not a size: ${words} (say 50mb)`)
  return Number(count) * { '': 1, kb: 1e3, mb: 1e6, gb: 1e9 }[unit.toLowerCase()]
}

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      bytes: { type: 'string', default: '50mb' },
      seed: { type: 'string', default: '1' },
      messages: { type: 'boolean' },
    },
  })
  if (positionals.length !== 1)
    throw new Error('usage: node bench/generate.mjs [--bytes 50mb] [--seed 1] [--messages] FILE')
  generate(positionals[0], {
    bytes: bytesOf(values.bytes),
    seed: Number(values.seed),
    messages: values.messages ?? false,
  })
}
