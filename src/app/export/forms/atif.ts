/**
 * `atif`: the Agent Trajectory Interchange Format of Harbor, a trajectory a line. A step of the agent is one response, with
 * the results of its calls as its observation.
 */
import { jsonText } from '../../../base/json-text.ts'
import { type Message, textOf } from '../../../model/message.ts'
import type { Form } from './form.ts'

type Step = Record<string, unknown> & { readonly source: 'system' | 'user' | 'agent' }

const atif: Form = {
  name: 'atif',
  summary: 'ATIF trajectories, a transcript a line',
  *lines(trace, _plan, unheld) {
    const { head, preamble } = trace.whole
    const steps: Step[] = preamble.system.map((message) => ({ source: 'system', message: textOf(message) }))
    let results: { source_call_id?: string; content: string }[] = []
    let [media, opaque, failures, alone] = [0, 0, 0, 0]
    for (const [index, message] of trace.messages.entries()) {
      for (const { type } of message.blocks) {
        if (type === 'image' || type === 'document') media++
        if (type === 'opaque') opaque++
      }
      if (message.isError) failures++
      if (message.role !== 'tool') {
        const step = stepOf(message, trace.isResponse(index))
        results = []
        if (step.source === 'agent') step.observation = { results }
        steps.push(step)
      } else if (steps.at(-1)?.source === 'agent') {
        const { callId } = message
        results.push({ ...(callId !== undefined && { source_call_id: callId }), content: textOf(message) })
      } else alone++
    }
    for (const step of steps) if (resultsOf(step)?.length === 0) delete step.observation
    unheld.add('images and documents', media)
    unheld.add('thoughts that only their provider can read', opaque)
    unheld.add('results marked as failed', failures)
    unheld.add('results that follow no step of the agent', alone)
    unheld.add('compactions that were recorded', trace.compactions.length)
    unheld.add('clearings that were recorded', trace.clearings.length)
    unheld.add('messages in the wire form of their provider', trace.messages.filter(({ wire }) => wire).length)
    yield {
      schema_version: 'ATIF-v1.4',
      session_id: head.conversation ?? head.file,
      agent: {
        name: head.format,
        version: head.version ?? 'unknown',
        ...(head.model !== null && { model_name: head.model }),
        ...(preamble.tools && { tool_definitions: trace.redaction.json(preamble.tools) }),
      },
      steps: trace.redaction.json(steps).map((step, index) => ({ step_id: index + 1, ...step })),
    }
  },
}

export default atif

function resultsOf({ observation }: Step): readonly unknown[] | undefined {
  return (observation as { readonly results: readonly unknown[] } | undefined)?.results
}

function stepOf(message: Message, isResponse: boolean): Step {
  const { role, origin, blocks, time, model, usage } = message
  const about = time !== undefined && Number.isFinite(time) ? { timestamp: new Date(time).toISOString() } : {}
  const text = textOf(message)
  if (role !== 'assistant') return { ...about, source: role === 'user' && !origin ? 'user' : 'system', message: text }
  const thoughts = blocks.flatMap((block) => (block.type === 'thinking' ? [block.text] : []))
  const calls = blocks.flatMap((block) =>
    block.type === 'call'
      ? [{ tool_call_id: block.id, function_name: block.name, arguments: argumentsOf(block.input) }]
      : [],
  )
  return {
    ...about,
    source: 'agent',
    ...(model !== undefined && { model_name: model }),
    message: text,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n') }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(usage &&
      isResponse && {
        metrics: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          cached_tokens: usage.cacheRead,
        },
      }),
  }
}

/** An object, as the format wants one. */
function argumentsOf(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {}
  try {
    const parsed: unknown = JSON.parse(input)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch {
    // Arguments that are no JSON stay text.
  }
  return { input: typeof input === 'string' ? input : jsonText(input) }
}
