/**
 * `mimir`: the rule of mimir's "Context Window Management". Before each request of more than `threshold` of the budget,
 * the oldest pairs of user and assistant leave until the request is under the threshold, and a note says so. The system
 * prompt, the current exchange and the newest `minTurns` pairs before it stay. A pair is an exchange: everything the
 * assistant did to answer leaves with the question, also where a result came late.
 *
 * The note has the program's wording, which the document shortens. It counts all messages that are gone.
 * Law: whole pairs, sticky. Not monotone: the note is added to the request.
 */
import { integer, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { firstCut } from '../primitives/drop-oldest.ts'
import { Notice } from '../primitives/insert-notice.ts'
import { contextNote, documentCounter, pruneThreshold } from '../upstream/mimir.ts'

export default definePolicy({
  name: 'mimir',
  summary: 'over 80 % of the budget, drop the oldest exchanges but the last three and the current one, with a note',
  source: 'mimir, Context Window Management (MIMIR-I-0024)',
  differs: [
    {
      matter: 'what leaves',
      document: 'the oldest pairs, until under the threshold',
      program: 'one cut to the newest six messages and those of the current exchange',
    },
    { matter: 'after the cut', document: 'under the threshold', program: 'can still be over; there is no second cut' },
    { matter: 'calls and results', document: 'the current exchange is kept', program: 'the cut can separate them' },
    {
      matter: 'the note',
      document: 'counts every message that is gone',
      program: 'counts those of this cut, an earlier note included',
    },
    {
      matter: 'what is kept of the current exchange',
      document: 'everything',
      program: 'after a cut within it, six messages: the question can leave',
    },
    { matter: 'the next question', document: '-', program: 'starts from the whole history again' },
  ],
  ownBudget: 128_000,
  params: {
    threshold: number({ default: 0.8, min: 0, max: 1, help: 'share of the budget at which pruning starts' }),
    minTurns: integer({ default: 3, min: 0, help: 'newest pairs that stay, besides the current exchange' }),
  },
  wholePairs: true,
  inserts: true,
  native: documentCounter,
  start({ threshold, minTurns }) {
    const note = new Notice()
    return {
      request(window) {
        const most = pruneThreshold(window.budget, threshold)
        while (window.tokens > most) {
          const last = firstCut(window, minTurns + 1)
          if (!last) return
          note.set(window, null)
          window.drop(window.first ?? last, last)
          note.set(window, contextNote(window.omitted, window.count))
        }
      },
    }
  },
})
