/**
 * `bytes`: ikigai's estimate ("Bytes-to-Tokens Ratio"): about four bytes of the serialized request per token, for every
 * provider. The bytes are exact (the compact JSON body in UTF-8), the ratio is an estimate. Law: counting the whole body
 * from scratch gives the same number.
 */
import { jsonLength } from '../base/json-length.ts'
import { number } from '../base/param.ts'
import { shapes } from '../model/message.ts'
import { providers } from '../providers/index.ts'
import { defineEstimator } from './estimator.ts'

export default defineEstimator({
  name: 'bytes',
  summary: 'bytes of the serialized request divided by four',
  version: 1,
  source: 'ikigai sliding context window, Token Counting Module',
  exact: false,
  params: { bytesPerToken: number({ default: 4, min: 0.1, help: 'bytes that make one token' }) },
  meter({ provider: name }) {
    const provider = providers[name]
    const comma = 1
    return {
      message: (message) => jsonLength(provider.message(message)),
      preamble: (preamble) => jsonLength(provider.body(preamble, [])),
      joins(preamble) {
        const first = provider.leads(preamble) ? comma : 0
        const continued = provider.merge ? comma - jsonLength(provider.envelope) : comma
        return (end, shape) => (end === 0 ? first : shape & shapes.continues ? continued : comma)
      },
    }
  },
  scale: (_trace, _meter, { bytesPerToken }) => ({
    tokens: (units) => Math.ceil(units / bytesPerToken),
    units: (tokens) => tokens * bytesPerToken,
  }),
})
