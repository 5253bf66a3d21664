/** The laws of hostile words, for a few of them in a few outputs; the slow lane has all. */
import { describe } from 'vitest'
import { hostileWords } from '../hostile-words.ts'
import { rows } from '../privacy/rows.ts'
import { pastedLaws } from './pasted.ts'
import { printedLaws } from './printed.ts'

// The first are those by which code ran: of a model, of tools, of a text.
const words = hostileWords.filter((word, at) => at < 4 || at % 16 === 0 || word.includes('##'))
const sample = new Set(['simulate markdown', 'simulate csv', 'history `--exchanges`', 'sessions json'])

pastedLaws(words)
describe('the output of', () => {
  printedLaws(
    words,
    rows.filter(({ command, form }) => command === 'check' || sample.has(`${command} ${form}`)),
  )
})
