/**
 * The errors that a user can cause: a code each, and one table of messages. Each message says what is wrong, where, and how
 * to fix it. Anything else that is thrown is a bug of ctxwin and keeps its stack.
 */
import { toldInJson, withoutSecrets } from './addresses.ts'

const words = {
  usage: (what: string) => what,
  'unknown-name': (kind: string, name: string, hint: string) => `unknown ${kind} "${name}". ${hint}`,
  'bad-value': (where: string, value: unknown, expected: string) => `${where}: ${shown(value)} is not ${expected}`,
  unreadable: (name: string, reason: string) => `cannot read ${name}: ${reason}`,
  'unknown-format': (file: string) =>
    `${file}: no known transcript format. If you know it, name it with --format (ctxwin list formats shows them)`,
  config: (name: string, reason: string) => `${name}: ${reason}`,
  unwritable: (file: string, reason: string) => `cannot write ${file}: ${reason}`,
  /** @param lock the file that says so */
  'in-use': (file: string, lock: string) =>
    `${file} is used by another run of ctxwin: wait for it, or if none runs any more, remove ${lock}`,
  'other-tables': (store: string, table: string) =>
    `${store} already has a table ${table} with other columns: drop it, or name another database`,
  'no-input': () => 'no input. Name a transcript, a directory of them, or - for standard input',
  'nothing-found': (places: string) =>
    `no transcripts in ${places}. Name a file or a directory, or set the variable that says where they are (see ctxwin list formats)`,
  ambiguous: (id: string, count: number) =>
    `${count} sessions have ids that begin with ${id}: give more of the id, or the file`,
  'empty-directory': (directory: string, endings: string) =>
    `${directory}: no transcripts in this directory (looked for ${endings})`,
  'no-key': (provider: string, keys: string) => `to ask ${provider}, set ${keys} in the environment`,
  'no-package': (what: string, name: string) => `${what} needs the package ${name}: npm install ${name}`,
  'no-space': (what: string) =>
    `${what} needs more address space than its limit (ulimit -v) leaves: raise that to 12 GB, or to 6 GB with NODE_OPTIONS=--disable-wasm-trap-handler`,
  /** @param what what was asked for: `count the request` */
  remote: (place: string, what: string, reason: string) => `${place} did not ${what}: ${reason}`,
  registry: (name: string, reason: string) => `cannot find out which version of ${name} is published: ${reason}`,
  /** Blank, a head alone, or nothing but system prompts: nothing failed, and nothing is there to count. */
  empty: (file: string) => `${file}: an empty transcript: 0 requests`,
  /** Damaged beyond use; `no-transcript` is an intact file that holds something else. */
  damaged: (file: string, why: string) => `${file}: it holds no transcript: ${why}`,
  /** It may be a transcript, but is not read where it lies. */
  'left-out': (file: string, why: string) => `${file}: left out: ${why}`,
  'no-transcript': (file: string, why: string) => `${file}: it holds no transcript: ${why}`,
  /** @param named flags that ask for what it was made with; null where something else was named */
  'baseline-changed': (file: string, what: string, was: string, is: string, named: string | null) =>
    `${file} was made with other ${what} (${was}, now ${is}${named === null ? '' : ', as none are named'}), so its figures cannot be compared: ${named === null ? '' : `name them (${named}), or `}re-baseline with --update-baseline`,
  'unknown-window': (file: string, budget: string, model: string | null) =>
    `${file}: ${budget} of the context window cannot be computed: ${model === null ? 'the transcript names no model' : 'that of its model is not known'}. Give the budget in tokens, name a known model with --model, or give the window with --prices`,
  'bad-policy': (name: string, what: string) => `${name} cannot be used as a policy: ${what}`,
  'bad-reader': (name: string, what: string) => `${name} cannot be used as a reader: ${what}`,
  part: (file: string, what: string) => `${file}: ${what}`,
  exists: (file: string) => `${file} already exists: --force overwrites it`,
  'nothing-checked': (reason: string) =>
    `nothing was checked: ${reason}. Set a limit (--assert maxPeakTokens=100k, or "assert" in ctxwin.config.json) or make a baseline (--update-baseline)`,
} satisfies Record<string, (...values: never[]) => string>

/** A value as its author would recognise it; the type of a value that JSON cannot write. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value, toldInJson) ?? typeof value
  } catch {
    return `this ${typeof value}`
  }
}

export type ErrorCode = keyof typeof words

export const errorCodes = Object.keys(words) as readonly ErrorCode[]

export class CtxwinError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'CtxwinError'
  readonly code: C
  /** What stands in the gaps of its sentence. */
  readonly values: Parameters<(typeof words)[C]>
  /** Lines below the message: what there is to choose from. */
  details: readonly string[] = []

  constructor(code: C, ...values: Parameters<(typeof words)[C]>) {
    const told = values.map((value: unknown) => (typeof value === 'string' ? withoutSecrets(value) : value))
    // biome-ignore lint/plugin: as many values as the sentence has gaps
    super((words[code] as (...values: unknown[]) => string)(...told))
    this.code = code
    this.values = told as typeof values
  }
}

/** @throws CtxwinError for a word that is none of them */
export function wordAmong<const T extends string>(words: readonly T[], where: string, word: unknown): T {
  const found = words.find((one) => one === word)
  if (found === undefined) throw new CtxwinError('bad-value', where, word, `one of ${words.join(', ')}`)
  return found
}
