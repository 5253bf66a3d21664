/** The picture's words: what ran, what it came to, and what each part is called. */
import { these } from '../../../base/these.ts'
import type { PictureCut, PicturePart, PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { amountWords } from '../../answer.ts'
import { grouped, several, shortBudget } from '../../numbers.ts'
import { paramWords } from '../../params.ts'
import { clip } from '../../text.ts'

function policyWords({ policy, params, budget, budgetAsked }: PictureRun): string {
  const words = paramWords(params)
  const named = words === '' ? policy : `${policy} (${clip(words.replaceAll(',', ', '), 60)})`
  return budget === 0 ? named : `${named} at ${shortBudget({ budget, ...(budgetAsked && { budgetAsked }) })}`
}

export function factsOf(picture: SessionPicture, run: PictureRun): string[] {
  const uses = lossesOf(run)
  const compactions = picture.recorded.filter(({ kind }) => kind === 'compaction').length
  return these(
    policyWords(run),
    several(picture.requests, 'request'),
    picture.model !== null && clip(picture.model, 40),
    several(cutsIn(run.cuts), 'cut'),
    compactions > 0 && `${grouped(compactions)} recorded ${compactions === 1 ? 'compaction' : 'compactions'}`,
    `${amountWords(run.costInput + run.costSummaries, picture.unit)} for input`,
    uses === 0 ? 'no content used later had left' : `${several(uses, 'later use')} of content that had left`,
  )
}

export const lossesOf = ({ arcs }: PictureRun): number => arcs.reduce((sum, { uses }) => sum + uses, 0)

const cutsIn = (cuts: readonly PictureCut[]): number => cuts.reduce((sum, cut) => sum + cut.cuts, 0)

/** The kinds that the picture tells apart: seven, as people cannot tell more colours apart. */
export interface Kind {
  /** Its class in the style sheet. */
  readonly name: KindName
  readonly words: string
  readonly note: string
  readonly tokens: readonly number[]
  readonly share: number
}

/** From the bottom of the stack to its top. */
export const kindNames = ['head', 'program', 'user', 'model', 'tool1', 'tool2', 'tools'] as const
export type KindName = (typeof kindNames)[number]

const notes: Readonly<Record<KindName, string>> = {
  head: 'tools, and what came before this file',
  program: 'reminders, summaries, notices',
  user: 'what was asked',
  model: 'answers, calls, and thinking sent again',
  tool1: 'results',
  tool2: 'results',
  tools: 'results of all others',
}

const plainWords: Readonly<Record<Exclude<KindName, 'tool1' | 'tool2'>, string>> = {
  head: 'System prompt',
  program: 'Put in by the program',
  user: 'You',
  model: 'The model',
  tools: 'Other tools',
}

/** The parts of a run in seven kinds: the two tools with the largest results by themselves. */
export function kindsOf(parts: readonly PicturePart[]): Kind[] {
  const tools = parts.filter(({ kind, tool }) => kind === 'tool' && tool !== null).slice(0, 2)
  const nameOf = (part: PicturePart): KindName => {
    const at = tools.indexOf(part)
    return part.kind === 'tool' ? ((['tool1', 'tool2'] as const)[at] ?? 'tools') : kindOf[part.kind]
  }
  return kindNames.flatMap((name): Kind[] => {
    const own = parts.filter((part) => nameOf(part) === name)
    if (own.length === 0) return []
    const words = name === 'tool1' || name === 'tool2' ? (own[0]?.tool as string) : plainWords[name]
    const tokens = (own[0] as PicturePart).tokens.map((_, at) =>
      own.reduce((sum, part) => sum + (part.tokens[at] ?? 0), 0),
    )
    const share = Math.round(10 * own.reduce((sum, part) => sum + part.share, 0)) / 10
    return [{ name, words, note: notes[name], tokens, share }]
  })
}

const kindOf: Readonly<Record<Exclude<PicturePart['kind'], 'tool'>, KindName>> = {
  preamble: 'head',
  unknown: 'head',
  inserted: 'program',
  program: 'program',
  user: 'user',
  assistant: 'model',
  thinking: 'model',
}
