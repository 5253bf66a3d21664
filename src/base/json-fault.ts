/** Where a text stops being JSON. The engine's own messages only sometimes give a position, and differ between Node versions. */
const token =
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/y

type Awaited = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing'

/** The line, from 1, of the first token that is not allowed where it is; the last line if the text ends too early. */
export function lineOfFault(text: string): number {
  const open: string[] = []
  let awaited: Awaited = 'value'
  let end = 0
  token.lastIndex = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const next = after(awaited, found[1] ?? (found[2] === undefined ? 'scalar' : 'string'), open)
    if (next === null) break
    awaited = next
    end = token.lastIndex
  }
  const rest = /^[ \t\n\r]*/.exec(text.slice(end))?.[0].length ?? 0
  return text.slice(0, end + rest).split('\n').length
}

/** What may follow a token; null if the token itself is not allowed. `open` holds the brackets around it. */
function after(awaited: Awaited, kind: string, open: string[]): Awaited | null {
  const closed = (): Awaited => (open.length > 0 ? ', or end' : 'nothing')
  if (awaited === ':') return kind === ':' ? 'value' : null
  if (awaited === 'nothing') return null
  if ((kind === '}' && awaited !== 'key') || (kind === ']' && awaited !== 'value')) {
    if (awaited === 'value' || awaited === 'key') return null
    return open.pop() === (kind === '}' ? '{' : '[') ? closed() : null
  }
  if (awaited === ', or end') return kind !== ',' ? null : open.at(-1) === '{' ? 'key' : 'value'
  if (awaited.startsWith('key')) return kind === 'string' ? ':' : null
  if (kind === 'string' || kind === 'scalar') return closed()
  if (kind !== '{' && kind !== '[') return null
  open.push(kind)
  return kind === '{' ? 'key or }' : 'value or ]'
}
