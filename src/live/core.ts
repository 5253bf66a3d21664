/**
 * `ctxwin/live/core`: the parts of `ctxwin/live`, for who builds with one policy and wants no more of the rest.
 *
 *     import { anthropic, bytes, choose, liveWindow } from 'ctxwin/live/core'
 *     import { dropOldest } from 'ctxwin/live/policies'
 *     const window = liveWindow({ policy: choose(dropOldest), estimator: choose(bytes), form: anthropic }, { budget: 120_000 })
 */
export { type Chosen, choose } from '../base/chosen.ts'
export { CtxwinError } from '../base/errors.ts'
export { default as bytes } from '../estimators/bytes.ts'
export { default as estimate } from '../estimators/estimate.ts'
export type { Estimator } from '../estimators/estimator.ts'
export type { Policy } from '../policies/policy.ts'
export { type AnthropicMessage, anthropic } from './forms/anthropic.ts'
export { type ChatMessage, chat } from './forms/chat.ts'
export type { Begun, Beside, Form, FormReader, Kept, Sink } from './forms/form.ts'
export { type ResponseItem, responses } from './forms/responses.ts'
export type { LiveLog, LoggedRequest } from './history.ts'
export {
  type LiveOptions,
  type LiveRequest,
  type LiveState,
  type LiveWindow,
  liveWindow,
  type Parts,
  type Summarised,
  type SummarisingOptions,
  type SummarisingWindow,
  summarisingWindow,
  type Told,
} from './live.ts'
export type { LiveCut } from './run.ts'
