/** Lost copies, in words. */
import type { CopiedCounts, CopiedText } from '../model/run.ts'
import { grouped, shareWords } from './numbers.ts'

/** "9/44 20.5 %" of the requests that copied text */
export const copiesShare = ({ lost, requests }: Pick<CopiedCounts, 'lost' | 'requests'>): string =>
  shareWords(lost, requests, 1)

/** What lost copies are, with the floor under them. */
export const copiesSentence = ({ floor }: Pick<CopiedText, 'floor'>): string =>
  `of the requests that copied text, those that would find a quarter of it or more gone; ${grouped(floor.lost)} of ${grouped(floor.requests)} are counted in the windows that the agents really had, too`
