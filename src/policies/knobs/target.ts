/** The knob `target`: how much is taken once the policy acts. */
import { parseTokens } from '../../base/param.ts'
import { type Amount, amountOf } from './amount.ts'
import { byStay, byWeights, type ValueModels, type Valuing } from './value/valuing.ts'
import { counted, knob, plain, type Word } from './words.ts'

export interface Target {
  /** Take what it pays to take, by what that is worth. */
  readonly value?: (models: ValueModels) => Valuing
  /** Take units until the window has at most this many tokens. */
  readonly goal?: Amount
  /** Take until so many units are left. */
  readonly keep?: number
  /** Take this share of the units that may be touched. */
  readonly fraction?: number
  /** Only if that frees so many tokens. */
  readonly least?: number
  /** Only a multiple of this many at a time. */
  readonly quantise?: number
}

/** The assumed cost of a lost use, in tokens, and the factor on the odds that the coefficients give. */
function valued(help: string, model: keyof ValueModels): Word<Target> {
  return {
    help,
    of([word, factor = '1', ...more]) {
      const [price, odds] = [parseTokens(word), Number(factor)]
      if (price === undefined || !(odds > 0 && odds < Infinity) || more.length > 0) return undefined
      return { value: (models) => byWeights(models[model], price, odds) }
    },
  }
}

export const target = knob<Target, Target>({
  default: 'watermark',
  help: 'when it stops: how much is taken',
  words: {
    all: plain('all that may be touched', {}),
    'watermark[:AMOUNT]': {
      help: 'until the request has no more tokens than that',
      of([word, ...more]) {
        const goal = amountOf(word)
        return goal && more.length === 0 ? { goal } : undefined
      },
    },
    'value:TOKENS[:ODDS]': valued(
      'what it pays to take, if a lost use costs so many tokens; ODDS times as likely as in the sessions that taught it. A watermark beside it is held, too',
      'learned',
    ),
    'aged:TOKENS[:ODDS]': valued('the same, by nothing but how old a message is', 'age'),
    'stay:EDITS:SHELL:REST': {
      help: 'the same, if what was read or edited stays so many requests, what a shell or a search gave so many, the rest so many',
      of(words) {
        const [edits, shell, rest, ...more] = words.map((word) => parseTokens(word))
        if (edits === undefined || shell === undefined || rest === undefined || more.length > 0) return undefined
        return { value: () => byStay(edits, shell, rest) }
      },
    },
    'keep:N': counted('until N units are left, protected ones counted', 0, (keep) => ({ keep })),
    'fraction:F': {
      help: 'that share of the units that may be touched, rounded down',
      of([word, ...more]) {
        const fraction = word?.trim() ? Number(word) : Number.NaN
        return fraction >= 0 && fraction <= 1 && more.length === 0 ? { fraction } : undefined
      },
    },
    'least:TOKENS': counted('besides: only if at least that many tokens are freed, else nothing', 0, (least) => ({
      least,
    })),
    'quantise:N': counted(
      'besides: a multiple of N units; a watermark may take more for that, the others less',
      1,
      (quantise) => ({
        quantise,
      }),
    ),
  },
  together([parts = []]) {
    const rules = parts.filter(({ least, quantise }) => least === undefined && quantise === undefined)
    const values = rules.filter(({ value }) => value !== undefined)
    // What pays is taken first, and a watermark is held besides.
    const isCapped = values.length === 1 && rules.length === 2 && rules.some(({ goal }) => goal !== undefined)
    if (values.length > 0 && rules.length < parts.length) return undefined
    return rules.length > 1 && !isCapped ? undefined : Object.fromEntries(parts.flatMap(Object.entries))
  },
})
