/** Definitions of functions that a model may call, read from any provider's form. */

import { type JsonObject, objectOf } from '../base/json.ts'
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON schema, as recorded; undefined if there is none. */
  readonly parameters: unknown
}

/** Reads OpenAI's two forms, Anthropic's, MCP's, and Google's list of declarations. None: the provider runs the tool itself. */
export function toolSpecs(tool: unknown): ToolSpec[] {
  const outer = objectOf(tool)
  if (!outer) return []
  if (Array.isArray(outer.functionDeclarations)) return outer.functionDeclarations.flatMap(toolSpecs)
  const spec = objectOf(outer.function) ?? outer
  if (typeof spec.name !== 'string') return []
  const parameters = spec.parameters ?? spec.input_schema ?? spec.parametersJsonSchema ?? spec.inputSchema
  return [{ name: spec.name, description: typeof spec.description === 'string' ? spec.description : '', parameters }]
}

/** A tool as it was defined: what it is called, of which server it is, and its definition by itself. */
export interface Defined {
  readonly name: string | null
  readonly server: string | null
  readonly definition: unknown
}

/** Google's list of declarations is several; what the provider runs itself is called by its type; Codex puts servers in a namespace, or in one around their tools. */
export function definedTools(tools: readonly unknown[]): Defined[] {
  return tools.flatMap((tool): Defined[] => {
    const outer = objectOf(tool)
    const { functionDeclarations: declared } = outer ?? {}
    if (Array.isArray(declared) && declared.length !== 1) {
      return definedTools(declared.map((one) => ({ functionDeclarations: [one] })))
    }
    if (outer?.type === 'namespace' && Array.isArray(outer.tools) && outer.tools.length > 0) {
      return outer.tools.map((one) => ({
        name: wordOf(objectOf(one)?.name),
        server: wordOf(outer.name),
        definition: one,
      }))
    }
    const spec = objectOf(Array.isArray(declared) ? declared[0] : outer?.function) ?? outer
    return [{ name: wordOf(spec?.name) ?? wordOf(spec?.type), server: wordOf(outer?.namespace), definition: tool }]
  })
}

const wordOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A function with the JSON schema of its parameters, as the APIs want it. */
export interface Callable extends ToolSpec {
  readonly parameters: JsonObject
}

/** The functions that have a schema: the others cannot be declared in another provider's form. */
export function callables(tool: unknown): Callable[] {
  return toolSpecs(tool).flatMap((spec) => {
    const parameters = objectOf(spec.parameters)
    return parameters ? [{ ...spec, parameters: objectOf(withJsonTypes(parameters)) ?? {} }] : []
  })
}

/** Google's API also takes its own names of types, in capitals, which are no JSON schema. */
function withJsonTypes(schema: unknown, levels = 100): unknown {
  // No schema nests deeper, but a damaged one might, beyond what the stack holds.
  if (levels === 0) return schema
  if (Array.isArray(schema)) return schema.map((each) => withJsonTypes(each, levels - 1))
  const object = objectOf(schema)
  if (!object) return schema
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const isType = key === 'type' && typeof value === 'string' && googleTypes.has(value)
      return [key, isType ? value.toLowerCase() : withJsonTypes(value, levels - 1)]
    }),
  )
}

const googleTypes: ReadonlySet<string> = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'])
