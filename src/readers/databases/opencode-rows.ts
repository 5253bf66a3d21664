/**
 * Rows of `session_message`, in which opencode keeps messages on its way to version 2, as the messages of version 1: what an
 * `info` and `parts` would have said. https://github.com/anomalyco/opencode packages/core/src/session (message.ts,
 * runner/to-llm-message.ts).
 */
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'

/** @param type of the row, which its data does not repeat */
export function recordsOfRow(id: string, type: string, data: JsonObject): readonly unknown[] {
  const { time, metadata } = data
  const user = (parts: readonly unknown[]) => ({ info: { id, role: 'user', time, metadata }, parts })
  switch (type) {
    case 'user':
      return [user([{ type: 'text', text: data.text }, ...itemsOf(data.files).map(partOfFile)])]
    case 'synthetic':
    case 'skill':
    case 'system':
      return [user([synthetic(data.text)])]
    case 'shell':
      return [user([synthetic(`Shell command: ${stringOf(data.command)}\n\n${outputOfShell(data.output)}`)])]
    case 'assistant':
      return [responseOf(id, data)]
    case 'compaction':
      return compactionOf(id, data)
    default:
      return type.endsWith('-switched') ? [] : [{ info: { id, role: type }, parts: [] }]
  }
}

const synthetic = (text: unknown) => ({ type: 'text', text, synthetic: true })

const outputOfShell = (output: unknown): string => stringOf(objectOf(output)?.output ?? output) ?? ''

/** What is attached is sent as its text where it is one, which stands in Base64. */
function partOfFile(value: unknown): unknown {
  const { mime, data, name } = objectOf(value) ?? {}
  if (mime !== 'text/plain' && mime !== 'application/x-directory') {
    return { type: 'file', mime, url: `data:${stringOf(mime)};base64,${stringOf(data) ?? ''}` }
  }
  const kind = mime === 'text/plain' ? 'file' : 'directory'
  return synthetic(`Attached ${kind}: ${stringOf(name)}\n\n${Buffer.from(stringOf(data) ?? '', 'base64')}`)
}

function responseOf(id: string, { model, content, ...data }: JsonObject): unknown {
  const { id: modelID, providerID } = objectOf(model) ?? {}
  const info = { id, role: 'assistant', modelID, providerID, ...data, type: undefined }
  return { info, parts: itemsOf(content).map((part) => partOf(objectOf(part) ?? {})) }
}

function partOf(part: JsonObject): unknown {
  if (part.type === 'reasoning') {
    return { type: 'reasoning', text: part.text, metadata: part.providerMetadata ?? { provider: part.state } }
  }
  if (part.type !== 'tool') return part
  const { status, input, content, error } = objectOf(part.state) ?? {}
  const items = itemsOf(content).map((item) => objectOf(item) ?? {})
  const texts = items.flatMap(({ text }) => stringOf(text) ?? [])
  const files = items.filter(({ type }) => type === 'file')
  return {
    type: 'tool',
    tool: part.name,
    callID: part.id,
    state: {
      status: status === 'streaming' ? 'pending' : status,
      input,
      output: texts.join('\n'),
      error: objectOf(error)?.message ?? error,
      attachments: files.map(({ mime, uri, url }) => ({ mime, url: url ?? uri })),
      time: { end: objectOf(part.time)?.completed },
    },
  }
}

/** Version 1 has a question and the summary that answers it. One that did not end has changed nothing. */
function compactionOf(id: string, { status = 'completed', summary, recent, time, model }: JsonObject): unknown[] {
  if (status !== 'completed') return []
  const text = `${stringOf(summary) ?? ''}\n\n${stringOf(recent) ?? ''}`
  const modelID = objectOf(model)?.id
  return [
    { info: { id, role: 'user', time }, parts: [{ type: 'compaction' }] },
    { info: { id: `${id}-summary`, role: 'assistant', summary: true, time, modelID }, parts: [{ type: 'text', text }] },
  ]
}
