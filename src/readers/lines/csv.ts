/**
 * Turns a CSV file with a column of conversations into lines of JSON, a row a line (RFC 4180; a cell may hold line feeds and
 * doubled quotes). A file is CSV if its first line names such a column.
 */
import { StringDecoder } from 'node:string_decoder'
import { CtxwinError } from '../../base/errors.ts'

/** In characters: half of what a string can hold. */
export const longestText = 2 ** 28

/** The names in the first line of a text; null if it is no head of such a table. */
export function csvHead(text: Buffer, columns: readonly string[]): readonly string[] | null {
  const end = text.indexOf(lineFeed)
  if (end === -1 || opensJson(text)) return null
  const rows: string[][] = []
  const parser = new CsvRows((row) => rows.push(row))
  parser.push(text.toString('utf8', 0, end + 1))
  const [head] = rows
  return head && columns.some((column) => head.includes(column)) ? head : null
}

export function opensJson(text: Buffer): boolean {
  return /^\s*[[{]/.test(text.toString('latin1', 0, 64))
}

/**
 * @param head the names in the first line, which is not repeated
 * @throws CtxwinError for a quote that nothing closes
 */
export async function* csvLines(
  name: string,
  text: AsyncIterable<Buffer>,
  head: readonly string[],
): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  let lines: string[] = []
  let first = true
  const parser = new CsvRows((row) => {
    if (!first) lines.push(`${JSON.stringify(Object.fromEntries(head.map((name, at) => [name, row[at] ?? null])))}\n`)
    first = false
  })
  for await (const chunk of text) {
    parser.push(decoder.write(chunk))
    if (parser.waiting > longestText) throw new CtxwinError('damaged', name, 'a cell of it has more than 256 MB')
    if (lines.length > 0) yield Buffer.from(lines.join(''))
    lines = []
  }
  parser.push(decoder.end())
  parser.end()
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}

class CsvRows {
  readonly #row: (cells: string[]) => void
  #cells: string[] = []
  /** The cell so far, in parts. */
  #cell: string[] = []
  #state: 'plain' | 'quoted' | 'closing' = 'plain'
  #blank = true
  /** How many characters have been read of a cell that has not ended yet. */
  waiting = 0

  constructor(row: (cells: string[]) => void) {
    this.#row = row
  }

  push(text: string): void {
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#state === 'quoted') {
        if (code !== quote) continue
        this.#cell.push(text.slice(start, at))
        this.#state = 'closing'
        start = at + 1
      } else if (this.#state === 'closing' && code === quote) {
        // A doubled quote stands for one.
        this.#state = 'quoted'
        start = at
      } else if (code === quote && this.#cell.length === 0 && start === at) {
        this.#state = 'quoted'
        this.#blank = false
        start = at + 1
      } else if (code === comma || code === lineFeed) {
        this.#cell.push(text.slice(start, at))
        this.#endCell(code === lineFeed)
        start = at + 1
      } else if (this.#state === 'closing' && code === carriageReturn) {
        start = at + 1
      } else this.#state = 'plain'
    }
    if (start === text.length) return
    this.#cell.push(text.slice(start))
    this.waiting += text.length - start
  }

  end(): void {
    if (this.#cell.length > 0 || this.#cells.length > 0) this.#endCell(true)
  }

  #endCell(endsRow: boolean): void {
    const cell = this.#cell.join('')
    this.#cells.push(endsRow && this.#state === 'plain' ? cell.replace(/\r$/, '') : cell)
    this.#cell = []
    this.waiting = 0
    this.#state = 'plain'
    if (!endsRow) return
    // A blank line is no row.
    if (this.#cells.length > 1 || this.#cells[0] !== '' || !this.#blank) this.#row(this.#cells)
    this.#cells = []
    this.#blank = true
  }
}

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d
