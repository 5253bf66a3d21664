/** The picture's words: what ran, what it came to, and what each part is called. */
import type { PictureCut, PicturePart, PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { amountWords } from '../../answer.ts'
import { grouped, several, shortBudget } from '../../numbers.ts'
import { paramWords } from '../../params.ts'
import { clip } from '../../text.ts'
import { tints } from './style.ts'

function policyWords({ policy, params, budget, budgetAsked }: PictureRun): string {
  const words = paramWords(params)
  const named = words === '' ? policy : `${policy} (${clip(words.replaceAll(',', ', '), 60)})`
  return budget === 0 ? named : `${named} at ${shortBudget({ budget, ...(budgetAsked && { budgetAsked }) })}`
}

export function factsOf(picture: SessionPicture, run: PictureRun): string[] {
  const uses = lossesOf(run)
  const compactions = picture.recorded.filter(({ kind }) => kind === 'compaction').length
  return [
    policyWords(run),
    several(picture.requests, 'request'),
    ...(picture.model === null ? [] : [clip(picture.model, 40)]),
    several(cutsIn(run.cuts), 'cut'),
    ...(compactions > 0
      ? [`${grouped(compactions)} recorded ${compactions === 1 ? 'compaction' : 'compactions'}`]
      : []),
    `${amountWords(run.costInput + run.costSummaries, picture.unit)} for input`,
    uses === 0 ? 'no content used later had left' : `${several(uses, 'later use')} of content that had left`,
  ]
}

export function lossesOf({ arcs }: PictureRun): number {
  return arcs.reduce((sum, { uses }) => sum + uses, 0)
}

const cutsIn = (cuts: readonly PictureCut[]): number => cuts.reduce((sum, cut) => sum + cut.cuts, 0)

export function partWords({ kind, tool }: Pick<PicturePart, 'kind' | 'tool'>): { name: string; note: string } {
  switch (kind) {
    case 'preamble':
      return { name: 'Preamble', note: 'system prompt and tools' }
    case 'unknown':
      return { name: 'Before', note: 'what came before this file' }
    case 'inserted':
      return { name: 'Put in', note: 'summaries and notices in place of what left' }
    case 'program':
      return { name: 'Program', note: 'its reminders, and the surroundings' }
    case 'user':
      return { name: 'User', note: 'what was asked' }
    case 'assistant':
      return { name: 'Assistant', note: 'answers and calls' }
    case 'thinking':
      return { name: 'Thinking', note: 'as far as it is sent again' }
    case 'tool':
      return tool === null ? { name: 'Other tools', note: 'their results' } : { name: tool, note: 'results' }
  }
}

/** The class of a part: a tint of the accent for each tool, greys for all else. */
export function classesOf(parts: readonly PicturePart[]): string[] {
  let tint = 0
  return parts.map(({ kind, tool }) => (kind !== 'tool' ? kind : `tint${tool === null ? tints - 1 : tint++}`))
}
