/**
 * Whether bodies are what the SDK of an API declares its requests to be, as the TypeScript compiler says of them as literals: a field
 * that is unknown, missing or of another type is found.
 */
import { join } from 'node:path'
import ts from 'typescript'
import type { ProbeApi } from '../../src/model/probe.ts'

const types: Readonly<Record<ProbeApi, string>> = {
  anthropic: "import('@anthropic-ai/sdk/resources/messages').MessageCreateParams",
  responses: "import('openai/resources/responses/responses').ResponseCreateParams",
  chat: "import('openai/resources/chat/completions').ChatCompletionCreateParams",
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
}
/** Nobody writes it: it is where the SDKs are found from. */
const name = join(import.meta.dirname, 'bodies-as-literals.ts')

/** What was compiled before: the SDKs are read once. */
let before: ts.Program | undefined
const host = ts.createCompilerHost(options)
const read = host.getSourceFile
const known = new Map<string, ts.SourceFile | undefined>()

/**
 * What stands in the lists of bodies is looked at by itself, and each shape once: the bodies of a session have most of it in common.
 *
 * @returns what is wrong with any of them, each once
 */
export function undeclared(api: ProbeApi, bodies: readonly Record<string, unknown>[]): string[] {
  const literals = new Set<string>()
  const add = (type: string, value: unknown) => literals.add(`${type} = ${JSON.stringify(shortened(value), null, 1)}\n`)
  for (const body of bodies) {
    const entries = Object.entries(body)
    for (const [key, value] of entries) {
      if (!Array.isArray(value)) continue
      for (const one of value) add(`Extract<(${types[api]})['${key}'], readonly unknown[]>[number]`, one)
    }
    add(types[api], Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? [] : value])))
  }
  const text = [...literals].map((literal, at) => `export const body${at}: ${literal}`).join('')
  const file = ts.createSourceFile(name, text, options.target as ts.ScriptTarget)
  host.getSourceFile = (path, ...rest) => {
    if (path === name) return file
    if (!known.has(path)) known.set(path, read(path, ...rest))
    return known.get(path)
  }
  before = ts.createProgram([name], options, host, before)
  return [
    ...new Set(
      ts.getPreEmitDiagnostics(before).map(({ messageText, start = 0 }) => {
        const { line } = file.getLineAndCharacterOfPosition(start)
        const around = text.split('\n').slice(Math.max(0, line - 1), line + 3)
        return `${ts.flattenDiagnosticMessageText(messageText, '\n')}\nat ${around.map((one) => one.trim()).join(' ')}`
      }),
    ),
  ]
}

/** What a type can name; other strings are as good as one another. */
const word = /^[\w./:-]{1,60}$/
/** Below it stand only inputs of tools and their schemas, which may be anything, and deeper than a compiler goes. */
const deepest = 30

function shortened(value: unknown, levels = deepest): unknown {
  if (typeof value === 'string') return word.test(value) ? value : '…'
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((one) => shortened(one, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      typeof one === 'string' && /id$/.test(key) ? 'id' : shortened(one, levels - 1),
    ]),
  )
}
