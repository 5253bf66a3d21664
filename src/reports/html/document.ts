/**
 * A page as one file: what `tools/build/page.mjs` has made of the sources here, with the data put in, of which none can
 * be markup.
 */
import { scriptJson } from '../../base/quoting.ts'
import type { Page } from '../../model/page.ts'
import type { ProbeResult } from '../../model/probe-result.ts'
import { packed } from './packed.ts'
import { packedPicture } from './pictures.ts'
import { sessionPacker } from './sessions.ts'

/** Where the data goes: into the only element of its kind. */
const place = ' id="data">'
/** What stands there before. */
const empty = '{}'

/** @param built the page without data */
export function* pageDocument(built: string, { sessions, pictures, ...page }: Page): Iterable<string> {
  const at = built.indexOf(place) + place.length
  yield built.slice(0, at)
  // The sessions are most of the data. They are written one by one, because a million of them do not fit into one
  // string.
  const packedOnes = pictures.map((one) => packedPicture(one, packed))
  const { parts, pack } = sessionPacker(sessions)
  yield `${scriptJson({ ...page, pictures: packedOnes, parts }).slice(0, -1)},"sessions":[`
  for (const [index, session] of sessions.entries()) yield `${index === 0 ? '' : ',\n'}${scriptJson(pack(session))}`
  yield ']}'
  yield built.slice(at + empty.length)
}

/** The page of `probe`. @param built the page without data */
export function* probeDocument(built: string, result: ProbeResult): Iterable<string> {
  const at = built.indexOf(place) + place.length
  yield built.slice(0, at)
  yield scriptJson(result)
  yield built.slice(at + empty.length)
}
