/** The laws of hostile words: each word, in each output of each command. */
import { describe } from 'vitest'
import { hostileWords } from '../hostile-words.ts'
import { rows } from '../privacy/rows.ts'
import { pastedLaws } from './pasted.ts'
import { printedLaws } from './printed.ts'

pastedLaws(hostileWords)
describe('the output of', () => printedLaws(hostileWords, rows))
