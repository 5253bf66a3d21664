/**
 * A page as one file: what `tools/build/page.mjs` has made of the sources here, with the data put in. None of the data
 * can be markup: in JSON only `<` could end the element, and it is escaped.
 */
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
  // The sessions are most of the data. They are written one by one, because a million of them do not fit into one string.
  const packedOnes = pictures.map((one) => packedPicture(one, packed))
  const { parts, pack } = sessionPacker(sessions)
  yield `${inScript({ ...page, pictures: packedOnes, parts }).slice(0, -1)},"sessions":[`
  for (const [index, session] of sessions.entries()) yield `${index === 0 ? '' : ',\n'}${inScript(pack(session))}`
  yield ']}'
  yield built.slice(at + empty.length)
}

/** The page of `probe`. @param built the page without data */
export function* probeDocument(built: string, result: ProbeResult): Iterable<string> {
  const at = built.indexOf(place) + place.length
  yield built.slice(0, at)
  yield inScript(result)
  yield built.slice(at + empty.length)
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
