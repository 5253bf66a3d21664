/** Sessions as the page has them: what fills their windows is told once, and each session names its own by number. */
import type { PageSeries, PageSession } from '../../model/page.ts'

type SeriesPart = PageSeries['parts'][number]

export interface PackedSession extends Omit<PageSession, 'series'> {
  readonly series: Omit<PageSeries, 'parts'> & {
    /** Indices of the page's list of parts. */
    readonly parts: readonly number[]
  }
}

/** Each part of all sessions once, and what packs a session. */
export function sessionPacker(sessions: readonly PageSession[]): {
  readonly parts: readonly SeriesPart[]
  readonly pack: (session: PageSession) => PackedSession
} {
  const key = ({ kind, tool }: SeriesPart): string => JSON.stringify([kind, tool])
  const all = new Map(sessions.flatMap(({ series }) => series.parts.map((part) => [key(part), part] as const)))
  const numbers = new Map([...all.keys()].map((one, at) => [one, at]))
  return {
    parts: [...all.values()],
    pack: (session) => {
      const parts = session.series.parts.map((part) => numbers.get(key(part)) as number)
      return { ...session, series: { ...session.series, parts } }
    },
  }
}

export function unpackedSession(session: PackedSession, parts: readonly SeriesPart[]): PageSession {
  const { series } = session
  return { ...session, series: { ...series, parts: series.parts.map((at) => parts[at] as SeriesPart) } }
}
