/**
 * `openai`, `anthropic`: the log of requests that a transcript would have made, a body a line, as the API takes it. The
 * last line is the request that would come next, which holds the last answer.
 */
import type { ProviderName } from '../../../model/message.ts'
import type { LeftOut } from '../../../providers/apis/api.ts'
import { windowRequests } from '../../window.ts'
import type { Form, Unheld } from './form.ts'

export const openai = requests('openai', 'chat', 'requests to OpenAI’s Chat Completions, a line each')
export const anthropic = requests('anthropic', null, 'requests to Anthropic’s Messages, a line each')

function requests(name: ProviderName, api: 'chat' | null, summary: string): Form {
  return {
    name,
    summary,
    *lines(trace, plan, unheld) {
      countUnheld(trace, unheld)
      let last: LeftOut = { media: 0, tools: 0 }
      for (const { body, left } of windowRequests(trace, { ...plan, provider: name }, api)) {
        last = left
        yield body
      }
      unheld.add('images and documents', last.media)
      unheld.add('tools that are no functions', last.tools)
    },
  }
}

/** What no body of a request has a field for. */
export function countUnheld(trace: Parameters<Form['lines']>[0], unheld: Unheld): void {
  let [usage, reasoning, times] = [0, 0, 0]
  for (let request = 0; request < trace.requests; request++) if (trace.usage(request)) usage++
  for (const { blocks, time } of trace.messages) {
    if (time !== undefined) times++
    for (const { type } of blocks) if (type === 'opaque') reasoning++
  }
  unheld.add('requests’ recorded usage', usage)
  unheld.add('messages’ times', times)
  unheld.add('thoughts that only their provider can read', reasoning)
  unheld.add('compactions that were recorded', trace.compactions.length)
  unheld.add('clearings that were recorded', trace.clearings.length)
}
