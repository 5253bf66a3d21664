/**
 * Crush's sessions, as the rows of its database.
 *
 * - The parts of a message are what its program sends: results are messages of the role `tool`, several in one.
 * - A summary begins the window anew; it is sent as if the user had said it. It becomes a recorded compaction.
 * - Tokens are counted of the newest request only, without those written to the cache. What was paid adds up, with that of
 *   sub-agents, which are sessions of their own. System prompt and tools are not recorded.
 */
import { isAbsolute, resolve } from 'node:path'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, type Outcome, type Shape } from '../reader.ts'
import { callBlock, jsonBlock, opaque, textBlocks, thinkingBlocks, urlBlock } from '../wire/blocks.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { type Expected, keys, kinds, listOf, which } from '../wire/shape.ts'
import { costIn, noTokens, tokens } from '../wire/usage.ts'

const dataOf = (expected: Readonly<Record<string, Expected>>): Shape => keys({ data: keys(expected) })

const partShapes = {
  text: dataOf({ text: 'string' }),
  reasoning: dataOf({ thinking: 'string' }),
  tool_call: dataOf({ id: 'string', name: 'string', input: 'string' }),
  tool_result: dataOf({ tool_call_id: 'string', content: 'string', is_error: 'boolean?', data: 'string?' }),
  binary: dataOf({ Path: 'string', MIMEType: 'string', Data: 'string' }),
  shell_command: dataOf({ command: 'string', output: 'string', exit_code: 'number' }),
}

const headShape = keys({ prompt_tokens: 'number', completion_tokens: 'number', cost: 'number' })
const messageShape = keys({ role: 'string', parts: listOf(kinds('type', partShapes)) })

function projectsIn(document: unknown): string[] {
  const { projects } = objectOf(document) ?? {}
  return Object.values(objectOf(projects) ?? itemsOf(projects)).flatMap((value) => {
    const path = textIn(objectOf(value), 'path') ?? ''
    const data = textIn(objectOf(value), 'data_dir') ?? '.crush'
    return isAbsolute(path) && !isRemote(path) && !isRemote(data) ? [resolve(path, data)] : []
  })
}

/** With two slashes in front the name may be that of another machine, and none is asked. */
const isRemote = (path: string): boolean => /^[\\/]{2}/.test(path)

export default recordReader({
  name: 'crush',
  program: 'crush',
  summary: "Crush's databases",
  source: '.crush/crush.db of each project, which ~/.local/share/crush/projects.json lists',
  places: [
    { directories: ['.crush'], files: 'crush.db' },
    ...[['$CRUSH_GLOBAL_DATA', '$XDG_DATA_HOME/crush', '~/.local/share/crush'], ['$LOCALAPPDATA/crush']].map(
      (directories) => ({ directories, listed: { file: 'projects.json', directories: projectsIn }, files: 'crush.db' }),
    ),
  ],
  shapes: [
    ['prompt_tokens', 'completion_tokens', 'message_count', 'cost', 'parts', 'parts.type', 'parts.data', 'role'],
  ],
  recognise: (row) => isHead(row) || itemsOf(row.parts).some(isPart),
  shape: which((row) => (isHead(row as JsonObject) ? headShape : messageShape), [headShape, messageShape]),
  begin: (_, head) => ({ head, session: new Session() }),
  begins: isHead,
  time: 'created_at',
  record: (row, mark, { head, session }) => (isHead(row) ? 'used' : add(row, session, mark, head)),
  end({ head, session }, context) {
    const { id, cost } = head
    const usage = newestUsage(head)
    if (usage) session.continueResponse([], usage)
    session.write(context, {
      conversation: id,
      parent: textIn(head, 'parent_session_id'),
      cwd: textIn(head, 'cwd'),
      ...costIn(cost === 0 ? undefined : cost),
    })
  },
})

function isHead(row: JsonObject): boolean {
  return 'message_count' in row && ('prompt_tokens' in row || 'completion_tokens' in row)
}

function isPart(value: unknown): boolean {
  const part = objectOf(value)
  return objectOf(part?.data) !== undefined && Object.hasOwn(partShapes, stringOf(part?.type) ?? '')
}

function newestUsage({ prompt_tokens, completion_tokens }: JsonObject): Usage | undefined {
  const input = tokens(prompt_tokens)
  if (!input) return undefined
  return { ...noTokens, input, output: tokens(completion_tokens) ?? 0 }
}

function add(row: JsonObject, session: Session, mark: Mark, head: JsonObject): Outcome {
  if (!Array.isArray(row.parts)) return bad
  const { line } = mark
  const parts = row.parts.map((value) => objectOf(value) ?? {})
  const blocks = parts.flatMap(partBlocks)
  const data = (type: string): JsonObject[] =>
    parts.flatMap((part) => (part.type === type ? [objectOf(part.data) ?? {}] : []))
  const hasFailed = data('finish').some(({ reason }) => reason === 'error')
  if (row.is_summary_message === 1 || (row.id !== undefined && row.id === head.summary_message_id)) {
    if (hasFailed || blocks.length === 0) return 'no-context'
    session.compaction([injected(blocks, line)], line)
    return 'used'
  }
  if (row.role === 'assistant') {
    if (blocks.length === 0) return 'no-context'
    session.response(blocks, { ...mark, model: textIn(row, 'model') })
  } else if (row.role === 'tool') {
    for (const result of data('tool_result')) {
      const medium = textIn(result, 'data')
      const image = `data:${stringOf(result.mime_type) ?? ''};base64,${medium}`
      const content = medium === undefined ? textBlocks(result.content) : [urlBlock('image', image)]
      const { tool_call_id: id, is_error: isError } = result
      session.result(content, { ...mark, id, name: textIn(result, 'name'), isError })
    }
  } else if (row.role === 'user') session.prompt(blocks, mark)
  else return bad
  return 'used'
}

function partBlocks({ type, data }: JsonObject): Block[] {
  const part = objectOf(data) ?? {}
  switch (type) {
    case 'text':
      return textBlocks(part.text)
    case 'reasoning':
      return part.thinking === '' && objectOf(part.responses_data)
        ? [opaque(objectOf(part.responses_data)?.encrypted_content)]
        : thinkingBlocks(part.thinking)
    case 'tool_call':
      return [callBlock(part.id, part.name, part.input ?? '')]
    case 'binary':
      return [mediumOf(part)]
    case 'image_url':
      return [urlBlock('image', part.url ?? part.URL)]
    case 'shell_command':
      return textBlocks(`$ ${part.command}\n${part.output}\n(exit code ${part.exit_code})`)
    case 'finish':
    case 'tool_result':
      return []
    default:
      return [jsonBlock({ type, data })]
  }
}

/** A text that is attached is sent as such. */
function mediumOf({ MIMEType: type, Data: data, Path: path }: JsonObject): Block {
  if (!/^text\//.test(stringOf(type) ?? '')) return urlBlock('image', `data:${stringOf(type) ?? ''};base64,${data}`)
  return {
    type: 'text',
    text: `<file path='${stringOf(path) ?? ''}'>\n${Buffer.from(stringOf(data) ?? '', 'base64')}\n</file>`,
  }
}
