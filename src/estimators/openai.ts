/** `openai`: exact o200k_base or cl100k_base tokens, and the overhead of the request. */
import { choice } from '../base/param.ts'
import { defineEstimator, tokenScale } from './estimator.ts'
import { encodingOf, openaiMeter } from './openai-meter.ts'

export default defineEstimator({
  name: 'openai',
  summary: "exact tokens of OpenAI's o200k_base or cl100k_base, with the request's own overhead",
  version: 2,
  source: 'tiktoken; OpenAI cookbook, How to count tokens; github.com/hmarr/openai-chat-tokens',
  exact: true,
  params: {
    encoding: choice({
      default: 'auto',
      of: ['auto', 'o200k_base', 'cl100k_base'],
      help: 'auto = by the model, o200k_base where it is not known',
    }),
  },
  meter: ({ model }, { encoding }) => openaiMeter(model, encoding === 'auto' ? encodingOf(model).encoding : encoding),
  scale(_trace, _meter, { encoding }, { model }) {
    const { encoding: guessed, known } = encodingOf(model)
    return { ...tokenScale, ...(encoding === 'auto' && !known && { label: `openai(${guessed}, model unknown)` }) }
  },
})
