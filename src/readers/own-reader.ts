/**
 * Guards a reader from a user's own module. The reader is tried on the first records of each file, so that one that never
 * returns is stopped. What it does wrong is one message with the line of the file, and the other files are still read.
 */
import { CtxwinError } from '../base/errors.ts'
import { atOnce, threwWhat, withinTime } from '../base/own-code.ts'
import { type Block, type Message, type Preamble, roles, sideCallKinds } from '../model/message.ts'
import type { SideCall } from '../model/trace.ts'
import {
  type FileHead,
  findings,
  type LeftOut,
  type Outcome,
  type Reader,
  type ReaderContext,
  type TranscriptWriter,
} from './reader.ts'

/**
 * The reader that a module exports, guarded.
 * @param value what the module exports as its default
 * @param module as the user named it
 * @param trialSeconds how long it may take for the first records of a file
 * @throws CtxwinError `bad-reader` if it has not the shape of a reader; the reader throws it for what it does wrong later
 */
export function checkReader(value: unknown, module: string, trialSeconds = 5): Reader {
  const fail = (what: string): never => {
    throw new CtxwinError('bad-reader', module, what)
  }
  if (value === null || typeof value !== 'object') return fail('its default export is not a reader: see defineReader')
  const given = value as Partial<Reader>
  if (typeof given.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(given.name)) {
    return fail('it needs a `name` of lower-case letters, digits and dashes')
  }
  if (typeof given.read !== 'function') return fail('it needs `read(context)`, which returns `record` and `end`')
  if (given.recognise !== undefined && typeof given.recognise !== 'function')
    return fail('its `recognise` is no function')
  if (given.shape !== undefined && typeof given.shape !== 'function') return fail('its `shape` is no function')
  const { read, shape } = given
  const guarded: Reader = {
    name: given.name,
    summary: given.summary ?? '',
    source: given.source ?? module,
    recognise: (record) => given.recognise?.(record) ?? 1,
    read: (context) => readGuarded(context, (own) => read.call(given, own), shape?.bind(given), module),
    accepts({ file, elements, records }) {
      const late = () => fail(`${file}: it was still running after ${trialSeconds} seconds at the first records`)
      return withinTime(trialSeconds, () => records.some(likely(file)) && tried(), late)

      function tried(): true {
        const context = {
          file,
          elements,
          branches: false,
          beside: () => undefined,
          open: writesNothing,
          finding: () => {},
          notUsed: () => {},
        }
        const reading = guarded.read(context)
        for (const { value, line } of records) reading.record(value, line)
        return true
      }
    },
  }
  return guarded

  function likely(file: string): (record: FileHead['records'][number]) => boolean {
    return ({ value, line }) => {
      const place = `${file}, line ${line}: its \`recognise\``
      let score: unknown
      try {
        score = guarded.recognise(value)
      } catch (error) {
        return fail(`${place} ${threwWhat(error, module)}`)
      }
      if (typeof score === 'boolean') return score
      return typeof score === 'number' ? score > 0 : fail(`${place} returns neither a number nor true or false`)
    }
  }
}

/** Where the messages of a trial go. */
function writesNothing(): TranscriptWriter {
  const nothing = () => {}
  let length = 0
  return {
    get length() {
      return length
    },
    message: () => void length++,
    rewind(to) {
      length = Math.min(length, to)
    },
    describe: nothing,
    preamble: nothing,
    reset: nothing,
    resumed: nothing,
    compaction: nothing,
    clearing: nothing,
    sideCall: nothing,
    close: nothing,
  }
}

/** The user's reading of one file. Everything that it hands over, and each outcome, is checked. */
function readGuarded(
  context: ReaderContext,
  read: (context: ReaderContext) => unknown,
  shape: ((record: unknown) => unknown) | undefined,
  module: string,
): ReturnType<Reader['read']> {
  let line = 0
  const fail = (what: string): never => {
    throw new CtxwinError('bad-reader', module, `${context.file}${line > 0 ? `, line ${line}` : ''}: ${what}`)
  }
  const call = <T>(what: string, act: () => T): T =>
    atOnce(
      act,
      () => fail(`its \`${what}\` returns a promise: a reader takes one record at a time, at once`),
      (error) => {
        if (error instanceof CtxwinError) throw error
        return fail(`its \`${what}\` ${threwWhat(error, module)}`)
      },
    )
  const told =
    (tell: ReaderContext['finding']): ReaderContext['finding'] =>
    (finding) =>
      isLeftOut(finding) ? tell(finding) : fail("what it reports has no code such as 'bad-record'")
  const own: ReaderContext = {
    ...context,
    open: (head) => checkedWriter(context.open(head), fail),
    finding: told(context.finding),
    notUsed: told(context.notUsed),
  }
  const reading = call('read', () => read(own))
  const { record, end } = Object(reading) as Partial<ReturnType<Reader['read']>>
  if (typeof record !== 'function') return fail('its `read` does not return an object with `record`')
  return {
    record(value, at) {
      line = at
      const outcome: unknown = call('record', () => record.call(reading, value, at))
      if (!isOutcome(outcome))
        return fail("its `record` returns neither 'used', 'no-context' nor { code }, with a code such as 'bad-record'")
      const key = shape && typeof outcome === 'string' ? call('shape', () => shape(value)) : null
      if (key === null) return outcome
      if (!isKey(key)) return fail('its `shape` returns neither null nor the path of a key')
      context.finding({ code: 'bad-shape', key, line: at })
      return outcome
    },
    end() {
      line = 0
      call('end', () => end?.call(reading))
    },
  }
}

function isOutcome(value: unknown): value is Outcome {
  return value === 'used' || value === 'no-context' || isLeftOut(value)
}

function isLeftOut(value: unknown): value is LeftOut {
  const { code, key } = Object(value) as { code?: unknown; key?: unknown }
  return typeof code === 'string' && Object.hasOwn(findings, code) && (key === undefined || isKey(key))
}

/** Whether it can be the path of a key, which is printed. */
function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[ -~]{0,100}$/.test(value)
}

/** @param fail called with what is wrong */
function checkedWriter(writer: TranscriptWriter, fail: (what: string) => never): TranscriptWriter {
  const whole = (length: unknown, what: string): number =>
    typeof length === 'number' && Number.isInteger(length) && length >= 0 && length <= writer.length
      ? length
      : fail(`${what} is not the index of a message, from 0 to ${writer.length}`)
  const summary = (messages: unknown, what: string) => {
    const flaw = Array.isArray(messages) ? flawIn(messages) : 'is not a list of messages'
    if (flaw !== null) fail(`${what} ${flaw}`)
  }
  return {
    get length() {
      return writer.length
    },
    describe: (head) => writer.describe(head),
    preamble(preamble) {
      summary((preamble as Partial<Preamble> | null)?.system, "a preamble's `system`")
      writer.preamble(preamble)
    },
    message(message) {
      const flaw = flawOf(message)
      if (flaw !== null) fail(`its message ${flaw}`)
      writer.message(message)
    },
    rewind: (length) => writer.rewind(whole(length, 'the `length` to rewind to')),
    reset: () => writer.reset(),
    resumed: () => writer.resumed(),
    compaction(compaction) {
      whole(compaction?.at, "a compaction's `at`")
      if (whole(compaction.keptFrom, "a compaction's `keptFrom`") > compaction.at)
        fail('a compaction keeps what is behind it')
      summary(compaction.summary, "a compaction's `summary`")
      writer.compaction(compaction)
    },
    clearing(clearing) {
      whole(clearing?.at, "a clearing's `at`")
      if (!(clearing.left instanceof Map)) fail("a clearing's `left` is not a Map")
      writer.clearing(clearing)
    },
    sideCall(call) {
      const { kind, usage, model, time, line, response } = Object(call) as Partial<SideCall>
      if (!sideCallKinds.includes(kind as SideCall['kind']))
        fail(`a side call's \`kind\` is none of ${sideCallKinds.join(', ')}`)
      if (!isUsage(usage)) fail("a side call's `usage` has not all of its counts (see Usage)")
      if (!(model === null || typeof model === 'string')) fail("a side call's `model` is neither a name nor null")
      if (typeof time !== 'number') fail("a side call's `time` is not a number of milliseconds, or NaN")
      if (!Number.isInteger(line) || (line as number) < 1) fail('a side call has no `line`, counted from 1')
      if (!Number.isSafeInteger(response)) fail("a side call's `response` is not a whole number: 0 where it has no id")
      writer.sideCall(call)
    },
    close: () => writer.close(),
  }
}

/** What is wrong with a message, as the end of a sentence; null if nothing is. */
function flawOf(value: unknown): string | null {
  if (value === null || typeof value !== 'object') return 'is not an object'
  const { role, line, blocks, callId, usage, time } = value as Partial<Message>
  if (!roles.includes(role as Message['role'])) return `has no \`role\` of ${roles.join(', ')}`
  if (!Number.isInteger(line) || (line as number) < 1) return 'has no `line`, counted from 1'
  if (!Array.isArray(blocks)) return 'has no list of `blocks`'
  if (role === 'tool' && typeof callId !== 'string') return 'has the role tool and no `callId`'
  if (time !== undefined && !Number.isFinite(time)) return 'has a `time` that is not a number of milliseconds'
  if (usage !== undefined && !isUsage(usage)) return 'has a `usage` without all of its counts (see Usage)'
  return blocks.every(isBlock) ? null : 'has a block of a shape that there is not (see Block)'
}

function flawIn(messages: readonly unknown[]): string | null {
  for (const message of messages) {
    const flaw = flawOf(message)
    if (flaw !== null) return `has a message that ${flaw}`
  }
  return null
}

function isUsage(value: unknown): boolean {
  const counts = Object(value) as Record<string, unknown>
  return ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output'].every((key) => typeof counts[key] === 'number')
}

function isBlock(value: unknown): value is Block {
  const { type, text, bytes, id, name, mediaType } = Object(value) as Record<string, unknown>
  if (type === 'text' || type === 'thinking') return typeof text === 'string'
  if (type === 'opaque') return isSize(bytes)
  if (type === 'call')
    return typeof id === 'string' && typeof name === 'string' && Object.hasOwn(Object(value), 'input')
  return (type === 'image' || type === 'document') && typeof mediaType === 'string' && isSize(bytes)
}

function isSize(bytes: unknown): boolean {
  return typeof bytes === 'number' && bytes >= 0 && Number.isFinite(bytes)
}
