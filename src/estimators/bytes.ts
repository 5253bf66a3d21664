/**
 * `bytes`: ikigai's estimate ("Bytes-to-Tokens Ratio"): about four bytes of the serialized request per token, for every
 * provider. The bytes are exact (the compact JSON body in UTF-8), the ratio is an estimate. Law: the request that `history --request`
 * prints has as many; docs/estimators.md says where it has a few more or less.
 */
import { jsonLength } from '../base/json-length.ts'
import { number } from '../base/param.ts'
import { type ApiName, type Block, type Message, type Role, roles, shapeOf, shapes } from '../model/message.ts'
import { fewestMaxTokens, type RequestParts } from '../providers/apis/api.ts'
import { apiOf, apis } from '../providers/apis/index.ts'
import { defineEstimator } from './estimator.ts'

export default defineEstimator({
  name: 'bytes',
  summary: 'bytes of the serialized request divided by four',
  version: 1,
  source: 'ikigai sliding context window, Token Counting Module',
  exact: false,
  params: { bytesPerToken: number({ default: 4, min: 0.1, help: 'bytes that make one token' }) },
  meter({ provider, model, api = apiOf(provider), settings = { model, maxTokens: fewestMaxTokens } }) {
    const lengthOf = (parts: Partial<RequestParts>): number =>
      jsonLength(apis[api].body({ ...nothing, ...parts }, { media: 0, tools: 0 }))
    const empty = lengthOf({})
    const alone = (message: Message): number => lengthOf({ messages: [message] }) - empty
    const together = (messages: readonly Message[]): number =>
      lengthOf({ messages }) - empty - messages.reduce((sum, message) => sum + alone(message), 0)

    const known = joins.get(api) ?? new Map<number, number>()
    joins.set(api, known)
    const joinOf = (end: number, shape: number): number => {
      const key = (end << 8) | shape
      const join = known.get(key) ?? (end === 0 ? 0 : together([sampleOf(end), sampleOf(shape)]))
      known.set(key, join)
      return join
    }

    return {
      message: alone,
      preamble: ({ system, tools }) => lengthOf({ ...settings, system, tools }),
      joins({ system }) {
        const [prompt, user] = [sampleOf(1), sampleOf(2)]
        // Some APIs have the system prompt among the messages.
        const isAmong = lengthOf({ system, messages: [user] }) > lengthOf({ system }) + alone(user)
        const begin = isAmong ? shapeOf(prompt) : 0
        return (end, shape) => joinOf(end || begin, shape)
      },
    }
  },
  scale: (_trace, _meter, { bytesPerToken }) => ({
    tokens: (units) => Math.ceil(units / bytesPerToken),
    units: (tokens) => tokens * bytesPerToken,
  }),
})

const nothing: RequestParts = { model: null, maxTokens: 0, system: [], tools: undefined, messages: [] }

/** By API: bytes of joins, which are found out by putting samples together. */
const joins = new Map<ApiName, Map<number, number>>()

function sampleOf(shape: number): Message {
  const text: Block = { type: 'text', text: 'x' }
  const call: Block = { type: 'call', id: 'x', name: 'x', input: {} }
  const makesCalls = (shape & shapes.calls) !== 0
  const blocks = makesCalls ? (shape & shapes.text ? [text, call] : [call]) : [text]
  const role = roles[(shape & shapes.role) - 1] as Role
  const isNative = role === 'system' && (shape & shapes.native) !== 0
  const wire = isNative ? { wire: { provider: 'anthropic', value: 'x' } as const } : {}
  return { role, line: 0, blocks, callId: 'x', toolName: 'x', ...wire }
}
