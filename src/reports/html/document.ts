/**
 * The page as one file: what `tools/build/page.mjs` has made of the sources here, with the data put in. Nothing of the data
 * can be markup: of what JSON has, only `<` could end the element that it stands in.
 */
import type { Page } from '../../model/page.ts'

/** Where the data goes: into the only element of its kind. */
const place = ' id="data">'
/** What stands there before. */
const empty = '{}'

/** @param built the page without data */
export function* pageDocument(built: string, { sessions, ...page }: Page): Iterable<string> {
  const at = built.indexOf(place) + place.length
  yield built.slice(0, at)
  // Sessions are most of it, and are written one by one: a million of them are no single string.
  yield `${inScript(page).slice(0, -1)},"sessions":[`
  for (const [index, session] of sessions.entries()) yield `${index === 0 ? '' : ',\n'}${inScript(session)}`
  yield ']}'
  yield built.slice(at + empty.length)
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
