/** Makes the key that all spellings of a url share. */

const maxUrl = 2048
/** By ASCII character: those that end a url, and those that are never its last. */
export const endsUrl = asciiTable('"\'`<>\\^{}|[] ')
endsUrl.fill(1, 0, 0x20)
export const neverLast = asciiTable('.,;:!?*~$&=#-+%@/(')

function asciiTable(members: string): Uint8Array {
  const table = new Uint8Array(0x80)
  for (const member of members) table[member.charCodeAt(0)] = 1
  return table
}

/**
 * The key of a URL: without fragment (except a client-side route `#/…`), `:line:col` of a stack trace, or final slash.
 */
export function urlKey(url: string): string | null {
  if (url.length > maxUrl) return null
  const bare = url.replace(/:\d+:\d+$/, '').replace(/#(?![/!]).*$/, '')
  return bare.replace(/\/+$/, '')
}
