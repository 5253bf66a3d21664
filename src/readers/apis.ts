/** Hands recorded exchanges with the providers' APIs to the reader of the API that each of them speaks. */

import type { JsonObject } from '../base/json.ts'
import anthropicMessages from './formats/anthropic-messages.ts'
import bedrockConverse from './formats/bedrock-converse.ts'
import geminiApi from './formats/gemini-api.ts'
import openaiChat from './formats/openai-chat.ts'
import openaiResponses from './formats/openai-responses.ts'
import type { Outcome, Reader, ReaderContext, Reading } from './reader.ts'

const apis: readonly Reader[] = [openaiChat, anthropicMessages, openaiResponses, geminiApi, bedrockConverse]

/** One reading for each API that is spoken, in the order of their first exchanges. */
export class ApiReadings {
  readonly #context: ReaderContext
  readonly #readings = new Map<Reader, Reading>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  /**
   * @param exchange `request` and `response` as bodies or their text, `url`, `timestamp`, `usage`
   * @returns undefined if it speaks none of them
   */
  record(exchange: JsonObject, line: number): Outcome | undefined {
    const api = speakerOf(exchange)
    if (!api) return undefined
    const reading = this.#readings.get(api) ?? api.read(this.#context)
    this.#readings.set(api, reading)
    return reading.record(exchange, line)
  }

  end(): void {
    for (const reading of this.#readings.values()) reading.end()
    this.#readings.clear()
  }
}

/** The API whose reader is surest. */
function speakerOf(exchange: JsonObject): Reader | undefined {
  let best: Reader | undefined
  let most = 0
  for (const api of apis) {
    const score = api.recognise(exchange)
    if (score <= most) continue
    best = api
    most = score
  }
  return best
}
