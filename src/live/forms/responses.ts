/**
 * Items of OpenAI's Responses API, as an agent keeps them that stores nothing at OpenAI. Items that the model wrote one after
 * another are one response: where a policy takes its calls, the reasoning that led to them leaves too, or the API refuses it.
 */
import { type Block, textOf } from '../../model/message.ts'
import { ItemsMapping } from '../../readers/wire/items.ts'
import { responseBlocks } from '../../readers/wire/responses.ts'
import { callsLeft } from './calls.ts'
import type { Form, Kept } from './form.ts'
import { writerTo } from './writer.ts'

export type ResponseItem = Readonly<Record<string, unknown>>

export const responses: Form<ResponseItem> = {
  provider: 'openai',
  reader({ system, tools }, sink) {
    const mapping = new ItemsMapping({ system, tools, complete: true }, writerTo(sink))
    return {
      add(item, index) {
        if (typeof item !== 'object' || item === null) sink.stranger(index)
        else mapping.add({ value: item, line: index + 1 })
      },
      settle: () => mapping.end(),
    }
  },
  partial: (items, kept) => kept.flatMap((one) => (one.message === one.original ? items : changed(items, one))),
  write: ({ role, blocks }) => [{ type: 'message', role, content: contentOf(role, blocks) }],
}

function changed(items: readonly ResponseItem[], kept: Kept): ResponseItem[] {
  const { role, blocks } = kept.message
  const [first] = items
  if (role === 'tool') return [{ ...first, output: textOf(kept.message) }]
  if (role !== 'assistant') return [{ ...first, content: contentOf(role, blocks) }]
  const left = callsLeft(kept)
  const text = textOf(kept.message)
  const said = items.findIndex(({ type, role }) => type === 'message' || role === 'assistant')
  let call = 0
  const kinds = items.flatMap((item, at): readonly ResponseItem[] => {
    if (item.type === 'reasoning') return left.some((one) => one !== null) ? [item] : []
    if (responseBlocks(item)?.some(({ type }) => type === 'call')) {
      const one = left[call++]
      return one ? [one.changed ? withInput(item, one.changed) : item] : []
    }
    return at === said && text !== '' ? [{ ...item, content: contentOf(role, blocks) }] : []
  })
  const isUnsaid = said < 0 && text !== ''
  return isUnsaid ? [{ type: 'message', role, content: contentOf(role, blocks) }, ...kinds] : kinds
}

/** Calls of functions have their arguments as JSON text, others as they are. */
function withInput(
  item: ResponseItem,
  { input, text }: { readonly input: unknown; readonly text: string },
): ResponseItem {
  if (typeof item.arguments === 'string') return { ...item, arguments: text }
  const key = ['arguments', 'input', 'action', 'operation'].find((name) => name in item)
  return key === undefined ? item : { ...item, [key]: input }
}

function contentOf(role: string, blocks: readonly Block[]): readonly ResponseItem[] {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return blocks.flatMap((block) => (block.type === 'text' ? [{ type, text: block.text }] : []))
}
