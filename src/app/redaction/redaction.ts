/**
 * `--redact`: what is printed of a transcript without its words. Every run of letters and digits becomes a pseudonym of its
 * length; punctuation, white space and symbols stay. What a transcript comes to is counted and found before, on what it says.
 *
 * A few words are no secrets, and without them nobody could read what is left: names of tools that agents bring with them,
 * names of models that price lists have, endings of files, and the keys and kinds of the formats.
 */
import { randomBytes, scryptSync } from 'node:crypto'
import type { Redaction } from '../../model/redaction.ts'
import { lookupModel } from '../../models/lookup.ts'
import type { ModelTable } from '../../models/table.ts'
import { pseudonyms } from './pseudonyms.ts'
import { commonKeys, commonTools, commonValues } from './redaction.data.ts'

const words = /[\p{L}\p{M}\p{N}]+/gu

/**
 * @param key the same words give the same pseudonyms in each run; null: others in each run
 * @param table the names of its models stay
 */
export function redactionBy(key: string | null, table: ModelTable): Redaction {
  // scrypt is slow on purpose, because a key that people can remember can be guessed.
  const secret = key === null ? randomBytes(32) : scryptSync(key, 'ctxwin redaction', 32)
  const pseudonym = pseudonyms(secret.toString('hex'))
  const text = (plain: string) => plain.replace(words, pseudonym)
  const named = new Set(table.models.flatMap(({ id, aliases = [] }) => [id, ...aliases]).flatMap(wordsOf))
  // Known model names stay, because prices and encodings depend on them.
  const model = (name: string) => {
    if (lookupModel(name, table)) return name
    return name.replace(words, (word) => (named.has(word.toLowerCase()) ? word : pseudonym(word)))
  }
  const tool = (name: string) => {
    const [, server, own] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? []
    if (server !== undefined && own !== undefined) return `mcp__${text(server)}__${text(own)}`
    return /^[A-Za-z_]+$/.test(name) && commonTools.has(name.toLowerCase().replaceAll('_', '')) ? name : text(name)
  }
  const file = (name: string) => {
    const [ending = ''] = endings.exec(name) ?? []
    return text(name.slice(0, name.length - ending.length)) + ending
  }
  const json = new JsonRedaction({ text, tool, model })
  return { text, file, tool, model, json: <T>(value: T) => json.value(value) as T }
}

const wordsOf = (name: string): string[] => name.toLowerCase().match(words) ?? []
const endings = /(?:\.(?:jsonl|ndjson|json|eval|log|traj|har|parquet|csv|zip|gz|zst))+$/i
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Of Anthropic: `bash_20250124`. */
const isOwnTool = /^[a-z_]+_20\d{6}$/
const isVersion = /^\d+(?:\.\d+){0,3}$/

/** Keys whose values the user's own program chose, or a model: there is no format to know. */
const free: ReadonlySet<string> = new Set(['input', 'arguments', 'args', 'parameters', 'input_schema', 'response'])
const toolKeys: ReadonlySet<string> = new Set(['name', 'toolName', 'function_name'])
const modelKeys: ReadonlySet<string> = new Set(['model', 'model_name'])

/** A request of the Responses API has the conversation where others have what a tool is called with: each item says what it is. */
function isListOfItems(value: unknown): boolean {
  const isItem = (one: unknown) => typeof one === 'object' && one !== null && ('role' in one || 'type' in one)
  return Array.isArray(value) && value.length > 0 && value.every(isItem)
}

class JsonRedaction {
  readonly #words: Pick<Redaction, 'text' | 'tool' | 'model'>

  constructor(redaction: Pick<Redaction, 'text' | 'tool' | 'model'>) {
    this.#words = redaction
  }

  /** Of a form that is known: its numbers are figures. */
  value(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.#string(value, key)
    if (key === 'input' && isListOfItems(value)) return this.value(value)
    if (free.has(key) && typeof value === 'object') return this.#free(value)
    return this.#inside(value, (inner, name) => this.value(inner, name ?? key))
  }

  #string(value: string, key: string): string {
    const { text, tool, model } = this.#words
    if (free.has(key)) return this.#document(value)
    if (toolKeys.has(key)) return tool(value)
    if (modelKeys.has(key)) return model(value)
    const stays =
      (commonValues.has(value) && key !== 'text' && key !== 'content') ||
      (key === 'type' && isOwnTool.test(value)) ||
      (key === 'timestamp' && isTime.test(value)) ||
      (key === 'version' && isVersion.test(value))
    return stays ? value : text(value)
  }

  #free(value: unknown, key = ''): unknown {
    if (typeof value === 'number') return this.#number(value)
    if (typeof value !== 'string') return this.#inside(value, (inner, name) => this.#free(inner, name ?? key))
    // In a schema they are keys, and have to be the same there.
    if (key === 'required') return this.#key(value)
    return key === 'type' && commonValues.has(value) ? value : this.#words.text(value)
  }

  /** JSON as a text, which keeps its spaces; else any text. */
  #document(document: string): string {
    try {
      JSON.parse(document)
    } catch {
      return this.#words.text(document)
    }
    return document.replace(tokens, (token, at: number) => {
      if (!token.startsWith('"')) return this.#digits(token)
      const plain: string = JSON.parse(token)
      const isKey = /^\s*:/.test(document.slice(at + token.length, at + token.length + 100))
      return JSON.stringify(isKey ? this.#key(plain) : this.#words.text(plain))
    })
  }

  #inside(value: unknown, redacted: (inner: unknown, key?: string) => unknown): unknown {
    if (Array.isArray(value)) return value.map((inner: unknown) => redacted(inner))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.#key(key), redacted(inner, key)]))
  }

  #key(key: string): string {
    return commonKeys.has(key) ? key : this.#words.text(key)
  }

  #number(value: number): number {
    const redacted = Number(this.#digits(String(value)))
    return String(redacted).length === String(value).length ? redacted : 0
  }

  /** Another number, as long in JSON: no digit is a nought that was none. */
  #digits(number: string): string {
    const shown = number.replace(/\d+/g, (run) => this.#words.text(run))
    return Array.from(number, (before, at) => {
      const after = shown[at] as string
      return after === '0' && before !== '0' ? '1' : before === '0' || !/\d/.test(before) ? before : after
    }).join('')
  }
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
