/** What records show of calls and results otherwise than it was sent. */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Block } from '../../../model/message.ts'
import { anthropicBlocks } from '../../wire/blocks.ts'
import { unreadText } from '../../wire/unread.ts'

/**
 * Since plans are files, the model calls `ExitPlanMode` without the plan, and the program adds it to the recorded call. Of 16
 * calls that stood alone and were refused, the next window grew by less than half of the plan at 13, the refusal included
 * (versions 2.1.32 to 2.1.108); many record an output of a few dozen tokens. A session with plan files has a `slug`, which
 * names them.
 */
export function withoutPlan(content: readonly unknown[], { slug }: JsonObject): readonly unknown[] {
  if (!content.some((part) => objectOf(part)?.name === planCall)) return content
  return content.map((part) => {
    const call = objectOf(part)
    const input = objectOf(call?.input)
    if (call?.name !== planCall || !input || (slug === undefined && input.planFilePath === undefined)) return part
    const { plan, planFilePath, ...written } = input
    return { ...call, input: written }
  })
}

const planCall = 'ExitPlanMode'

/** The blocks of a result. Where it names tools that the model searched for, the provider puts their definitions in. */
export function resultBlocks(content: unknown): Block[] {
  if (!Array.isArray(content)) return anthropicBlocks(content)
  return content.flatMap((part): Block[] => {
    const { type, tool_name: name } = objectOf(part) ?? {}
    return type === 'tool_reference' ? [definition(stringOf(name) ?? '')] : anthropicBlocks([part])
  })
}

function definition(name: string): Block {
  return { type: 'text', text: unreadText(`the definition of ${name}`, definitionTokens[name] ?? usualTokens) }
}

/**
 * Tokens of the program's own tools as Claude counted them when they came in, alone or in pairs (versions 2.1.69 to 2.1.231,
 * seven projects, 30 searches). Definitions of other tools are of every size. Behind a compaction the
 * model has to search again.
 */
const definitionTokens: Readonly<Record<string, number>> = {
  AskUserQuestion: 1_200,
  ExitPlanMode: 650,
  Monitor: 2_300,
  TaskCreate: 590,
  TaskList: 320,
  TaskStop: 560,
  TaskUpdate: 1_200,
  WebFetch: 470,
  WebSearch: 180,
}
const usualTokens = 600
