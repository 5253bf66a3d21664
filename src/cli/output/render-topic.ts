/**
 * A page of the documentation for a terminal. The marks of headings, lists and code stay, because a terminal has no
 * fonts; links become their text, and the pages that they lead to are named at the end.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Column, reports } from '../../app/index.ts'
import { type Ink, inkFor } from '../../reports/ink.ts'
import { widthOf, wrap } from '../../reports/text.ts'

/** The indent of code. */
const codeIndent = '    '

/**
 * @param markdown in the flavour of GitHub
 * @param topicOf the name that a relative link leads to; null = it is no topic
 */
export function* renderTopic(
  markdown: string,
  topicOf: (href: string) => string | null,
  { width, color }: { readonly width: number; readonly color: boolean },
): Iterable<string> {
  const page: Page = { width, color, ink: inkFor(color), topicOf, linked: new Set() }
  let apart = ''
  for (const token of lexer(markdown)) {
    const lines = blockOf(token as MarkedToken, page, 0)
    if (lines.length === 0) continue
    yield `${apart}${lines.join('\n')}\n`
    apart = '\n'
  }
  if (page.linked.size > 0)
    yield `\n${wrap(`See also: ctxwin help ${[...page.linked].join(', ')}`, width, 0, 2).join('\n')}\n`
}

interface Page {
  readonly width: number
  readonly color: boolean
  readonly ink: Ink
  readonly topicOf: (href: string) => string | null
  /** The topics it links to. */
  readonly linked: Set<string>
}

/** The lines of a block. What says nothing has none: blanks between blocks, comments. */
function blockOf(token: MarkedToken, page: Page, indent: number): readonly string[] {
  const { width, ink } = page
  switch (token.type) {
    case 'heading':
      return wrap(`${'#'.repeat(token.depth)} ${textOf(token.tokens, page)}`, width, 0, token.depth + 1).map(
        ink.heading,
      )
    case 'paragraph':
      return wrap(textOf(token.tokens, page), width, indent, indent)
    case 'text':
      return wrap(textOf(token.tokens ?? [token], page), width, indent, indent)
    case 'code':
      return token.text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent)}${codeIndent}${line}`))
    case 'list':
      return listOf(token, page, indent)
    case 'table':
      return tableOf(token, page)
    case 'blockquote':
      return token.tokens.flatMap((inner) => blockOf(inner as MarkedToken, page, indent + 2))
    default:
      return []
  }
}

function listOf({ items, ordered, start, loose }: Tokens.List, page: Page, indent: number): readonly string[] {
  return items.flatMap(({ tokens }, at) => {
    const mark = ordered ? `${Number(start) + at}. ` : '- '
    const blocks = tokens.map((token) => blockOf(token as MarkedToken, page, indent + mark.length))
    const lines = blocks
      .filter(({ length }) => length > 0)
      .flatMap((lines, index) => (loose && index > 0 ? ['', ...lines] : lines))
    const [first = '', ...rest] = lines
    const item = [`${' '.repeat(indent)}${mark}${first.trimStart()}`, ...rest]
    return loose && at > 0 ? ['', ...item] : item
  })
}

/** Narrower columns of prose cannot be read. */
const readable = 20

function tableOf({ header, rows }: Tokens.Table, page: Page): readonly string[] {
  const { width, color } = page
  const names = header.map(({ tokens }) => textOf(tokens, page))
  const cells = rows.map((row) => row.map(({ tokens }) => textOf(tokens, page)))
  const natural = names.map((name, at) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(name)),
  )
  const fits = natural.reduce((sum, cells) => sum + cells + 2, -2) <= width
  if (!fits && names.length * readable > width) return recordsOf(names, cells, page)
  const columns = header.map(
    ({ align }, at): Column<readonly string[]> => ({
      key: String(at),
      header: names[at] as string,
      unit: align === 'right' ? 'count' : 'text',
      rank: 0,
      wraps: true,
      value: (row) => row[at] ?? '',
    }),
  )
  const text = [...reports.get('table').rows(columns, cells, { width, color, cuts: 'none', by: 'transcript' })].join('')
  return text.trimEnd().split('\n')
}

/** A table that is too wide: a paragraph for each row, under its first cell, with a line for each of the others. */
function recordsOf(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { width, ink }: Page,
): readonly string[] {
  return rows.flatMap(([first = '', ...others], index) => [
    ...(index > 0 ? [''] : []),
    ...wrap(first, width, 0, 2).map(ink.heading),
    ...others.flatMap((cell, at) =>
      cell === '' ? [] : wrap([names[at + 1], cell].filter(Boolean).join(': '), width, 2, 4),
    ),
  ])
}

function textOf(tokens: readonly Token[], page: Page): string {
  return tokens.map((token) => inlineOf(token as MarkedToken, page)).join('')
}

function inlineOf(token: MarkedToken, page: Page): string {
  switch (token.type) {
    case 'link':
      return linkOf(token, page)
    case 'image':
      return `[picture: ${token.text}]`
    case 'strong':
    case 'em':
    case 'del':
      return textOf(token.tokens, page)
    case 'br':
      return ' '
    case 'html':
      return ''
    case 'escape':
      return token.text
    default:
      return token.raw.replaceAll('\n', ' ')
  }
}

function linkOf({ href, tokens }: Tokens.Link, page: Page): string {
  const text = textOf(tokens, page)
  if (/^https?:/.test(href)) return text === href ? href : `${text} <${href}>`
  const topic = page.topicOf(href)
  if (topic !== null) page.linked.add(topic)
  return text
}
