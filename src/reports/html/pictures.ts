/**
 * Pictures of sessions as the page has them: words as they are, figures packed. A page of a thousand sessions has room
 * for them then.
 */
import type { PagePicture } from '../../model/page.ts'
import type { PictureRun } from '../../model/session-picture.ts'

type DrawnFigures = Pick<PictureRun, 'largest' | 'sent' | 'cuts' | 'cache' | 'absences'> & {
  /** By part. */
  readonly tokens: readonly (readonly number[])[]
}

/** What of a run are words, and single figures. */
interface BareRun extends Omit<PictureRun, keyof DrawnFigures | 'parts'> {
  readonly parts: readonly Omit<PictureRun['parts'][number], 'tokens'>[]
}

export interface PackedPicture extends Omit<PagePicture, 'runs'> {
  readonly runs: readonly BareRun[]
  /** `DrawnFigures` of each run as JSON, deflated, in base64. */
  readonly packed: string
}

export function packedPicture({ runs, ...picture }: PagePicture, pack: (text: string) => string): PackedPicture {
  const figures: DrawnFigures[] = []
  const bare = runs.map(({ largest, sent, cuts, cache, absences, parts, ...run }): BareRun => {
    figures.push({ largest, sent, cuts, cache, absences, tokens: parts.map(({ tokens }) => tokens) })
    return { ...run, parts: parts.map(({ tokens: _, ...part }) => part) }
  })
  return { ...picture, runs: bare, packed: pack(JSON.stringify(figures)) }
}

/** @param inflated what `packed` was made of */
export function unpackedPicture({ runs, packed: _, ...picture }: PackedPicture, inflated: string): PagePicture {
  const figures = JSON.parse(inflated) as DrawnFigures[]
  return {
    ...picture,
    runs: runs.map(({ parts, ...run }, at): PictureRun => {
      const { tokens, ...rest } = figures[at] as DrawnFigures
      return { ...run, ...rest, parts: parts.map((part, nth) => ({ ...part, tokens: tokens[nth] as number[] })) }
    }),
  }
}
