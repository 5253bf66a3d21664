/** Definitions of functions that a model may call, read from any provider's form. */

type JsonObject = Readonly<Record<string, unknown>>

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

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}
