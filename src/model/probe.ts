/** What a probe asks a model and what comes back: plain data for who asks, who compares and who prints. */

/** The APIs that a probe speaks: Anthropic's Messages, OpenAI's Responses, and Chat Completions as many servers speak it. */
export type ProbeApi = 'anthropic' | 'responses' | 'chat'

/** What a model did next. */
export interface NextAction {
  /** In the order of the response. `input` is parsed, or the text as it came where that is no JSON. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** All text of the answer, '' where it only called tools. Thoughts are no part of it. */
  readonly text: string
}

/** Tokens as the API counted them. */
export interface AnswerUsage {
  /** The whole prompt, what the cache served or took in included. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

export interface Answer {
  readonly action: NextAction
  /** Why it ended, as the API names it (`end_turn`, `tool_use`, `length`, …); null where it does not say. */
  readonly stop: string | null
  /** The model that the API says has answered. */
  readonly model: string | null
  readonly usage: AnswerUsage | null
}
