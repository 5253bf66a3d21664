/**
 * The contract of an API's request: only fields that the API publishes, nothing empty that it refuses, and results right behind
 * their calls. `history --request` prints it, and the estimator `bytes` counts it.
 */
import type { Message } from '../../model/message.ts'
import type { Json } from '../provider.ts'

export type JsonObject = Readonly<Record<string, Json>>

/** Counts what a request had to leave out. */
export interface LeftOut {
  /** Images and documents: their data is not recorded, or the API takes none there. */
  media: number
  /** Tools that are no functions, in another provider's form. */
  tools: number
}

/** What any model of Anthropic writes at most, for a model of which nothing is known. */
export const fewestMaxTokens = 4096

export interface RequestParts {
  readonly model: string | null
  readonly maxTokens: number
  readonly system: readonly Message[]
  readonly tools: readonly Json[] | undefined
  readonly messages: readonly Message[]
}

export interface Api {
  /** The fields of a request that say how to answer; all others are its input. */
  readonly settings: readonly string[]
  body(parts: RequestParts, left: LeftOut): Record<string, Json>
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** The fields of `value` that are named, as far as it has them. */
export function pick(value: JsonObject, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(names.filter((name) => value[name] != null).map((name) => [name, value[name]]))
}

/** Calls from one API keep their ids in another, spelled in the characters that all of them take. */
export function plainId(id: string): string {
  return id.replace(/[^\w-]/g, '_')
}

/**
 * The messages in which each answer of the model is followed first by the results of its calls: what a user said while tools
 * ran was recorded among them.
 */
export function resultsFirst(messages: readonly Message[]): Message[] {
  const ordered: Message[] = []
  const rest: Message[] = []
  const settle = () => {
    for (const message of rest) ordered.push(message)
    rest.length = 0
  }
  for (const message of messages) {
    if (message.role === 'assistant') settle()
    if (message.role === 'assistant' || message.role === 'tool') ordered.push(message)
    else rest.push(message)
  }
  settle()
  return ordered
}

export interface Turn {
  readonly role: string
  readonly parts: readonly Json[]
}

/** Neighbours of one role as one turn; what is empty is left out. */
export function joined(turns: readonly Turn[]): Turn[] {
  const result: { role: string; parts: Json[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = result.at(-1)
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else result.push({ role, parts: [...parts] })
  }
  return result
}
