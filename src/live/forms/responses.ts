/**
 * Items of OpenAI's Responses API, as an agent keeps them that stores nothing at OpenAI. Items that the model wrote one
 * after another are one response: where a policy takes its calls, the reasoning that led to them leaves too, or the API
 * refuses it.
 */
import { jsonText } from '../../base/json-text.ts'
import { type Block, textOf } from '../../model/message.ts'
import { ItemsMapping } from '../../readers/wire/items.ts'
import { responseBlocks } from '../../readers/wire/responses.ts'
import type { Form, Kept } from './form.ts'
import { type Parts, partsLeft } from './left.ts'
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
  let run = 0
  const steps = items.map((item, at): Step => {
    if (isReasoning(item) && at > 0 && !isReasoning(items[at - 1] as ResponseItem)) run++
    return { item, run }
  })
  const left = partsLeft(steps, kept, parts)
  const done = new Set(left.filter(({ item }) => !isReasoning(item)).map(({ run }) => run))
  return left.filter(({ run }) => done.has(run)).map(({ item }) => item)
}

/**
 * An item of a response, and in which run of it: reasoning, and what it led to. The API refuses the one without the
 * other.
 */
interface Step {
  readonly item: ResponseItem
  readonly run: number
}

const isReasoning = ({ type }: ResponseItem): boolean => type === 'reasoning'

const parts: Parts<Step> = {
  blocksOf: ({ item }) => responseBlocks(item) ?? [],
  textPart: (text) => ({
    item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    run: -1,
  }),
  withInput: (step, input) => ({ ...step, item: withInput(step.item, input) }),
}

/** Calls of functions have their arguments as JSON text, others as they are. */
function withInput(item: ResponseItem, input: unknown): ResponseItem {
  if (typeof item.arguments === 'string')
    return { ...item, arguments: typeof input === 'string' ? input : jsonText(input) }
  const key = ['arguments', 'input', 'action', 'operation'].find((name) => name in item)
  return key === undefined ? item : { ...item, [key]: input }
}

function contentOf(role: string, blocks: readonly Block[]): readonly ResponseItem[] {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return blocks.flatMap((block) => (block.type === 'text' ? [{ type, text: block.text }] : []))
}
