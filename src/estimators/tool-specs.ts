/**
 * Tool definitions as OpenAI's models read them. OpenAI turns JSON schemas into TypeScript declarations before counting;
 * their form was found by trial, and recorded API responses confirm it (github.com/hmarr/openai-chat-tokens, MIT).
 */
import { type JsonObject, objectOf } from '../base/json.ts'
import { jsonText } from '../base/json-text.ts'
import { toolSpecs } from '../providers/tool-spec.ts'

/** The deepest level to read: real schemas nest a few levels, and a hostile one must not overflow the stack. */
const deepest = 64

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * The declarations of `tools`, recorded in any provider's form. A tool that is not a function (the provider runs it itself)
 * becomes a line with its JSON.
 */
export function declarations(tools: readonly unknown[]): string {
  const lines = ['namespace functions {', '']
  for (const tool of tools) {
    const specs = toolSpecs(tool)
    if (specs.length === 0) lines.push(`// ${jsonText(tool)}`, '')
    for (const { name, description, parameters } of specs) {
      if (description !== '') lines.push(`// ${description}`)
      const schema = objectOf(parameters) ?? {}
      if (Object.keys(objectOf(schema.properties) ?? {}).length === 0) lines.push(`type ${name} = () => any;`)
      else lines.push(`type ${name} = (_: {`, propertiesOf(schema, 0), '}) => any;')
      lines.push('')
    }
  }
  lines.push('} // namespace functions')
  return lines.join('\n')
}

function propertiesOf(schema: JsonObject, depth: number): string {
  const required = Array.isArray(schema.required) ? schema.required : []
  const lines: string[] = []
  for (const [name, value] of Object.entries(objectOf(schema.properties) ?? {})) {
    const property = objectOf(value) ?? {}
    // OpenAI drops the descriptions of nested properties.
    if (textOf(property.description) !== '' && depth === 0) lines.push(`// ${property.description}`)
    lines.push(`${name}${required.includes(name) ? '' : '?'}: ${typeOf(property, depth)},`)
  }
  return lines.map((line) => '  '.repeat(depth) + line).join('\n')
}

/** @param depth of the object with the property; an array's items and alternatives are no deeper */
function typeOf(schema: JsonObject, depth: number, within = 0): string {
  if (depth + within > deepest) return 'any'
  if (Array.isArray(schema.anyOf)) {
    return schema.anyOf.map((one) => typeOf(objectOf(one) ?? {}, depth, within + 1)).join(' | ')
  }
  // Each type once: `["object", "object"]` on every level of a hostile schema would double the text with each.
  const words = Array.isArray(schema.type) ? [...new Set(schema.type)] : [schema.type]
  return words.map((word) => typeNamed(word, schema, depth, within)).join(' | ')
}

function typeNamed(word: unknown, schema: JsonObject, depth: number, within: number): string {
  const values = Array.isArray(schema.enum) ? schema.enum.map(wordOf) : undefined
  switch (word) {
    case 'string':
      return values?.map((value) => `"${value}"`).join(' | ') ?? 'string'
    case 'number':
    case 'integer':
      return values?.join(' | ') ?? 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array': {
      const items = objectOf(schema.items)
      return items ? `${typeOf(items, depth, within + 1)}[]` : 'any[]'
    }
    case 'object':
      return ['{', propertiesOf(schema, depth + 1), '}'].join('\n')
    default:
      return 'any'
  }
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value))
