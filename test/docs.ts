/** What the README and the pages in docs/ tell the reader to run. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Page {
  readonly name: string
  readonly text: string
}

export const pages: readonly Page[] = ['README.md', ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(root + name, 'utf8') }))

/** Command lines whose output stands below them, with that output. */
export function shownIn({ text }: Page): (readonly [line: string, output: string])[] {
  return [...text.matchAll(/```\n\$ ctxwin(?: ([^\n]+))?\n([\s\S]*?)```/g)].map(([, line, output]) => [
    line ?? '',
    output as string,
  ])
}

/** Pictures, with the command line that draws each. */
export function drawnIn({ text }: Page): (readonly [line: string, file: string])[] {
  return [...text.matchAll(/^ctxwin (.+) > (docs\/[\w-]+\.svg)$/gm)].map(([, line, file]) => [
    line as string,
    file as string,
  ])
}

export interface Block {
  /** Empty where the page does not say. */
  readonly language: string
  readonly code: string
  /** What stands between it and the block above it. */
  readonly above: string
}

export function blocksOf({ text }: Page): Block[] {
  // Prose and code by turns.
  const parts = text.split(/^```/m)
  return parts.flatMap((part, at) => {
    const [, language = '', code = ''] = (at % 2 === 1 && /^(\w*).*\n([\s\S]*)$/.exec(part)) || []
    return at % 2 === 1 ? [{ language, code, above: parts[at - 1] as string }] : []
  })
}

/** The commands in blocks of shell. */
export function typedIn(page: Page): string[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => line.replace(/\s+#.*$/, '').split(/ && | \| /))
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Whether a command line is one of ctxwin. */
export const isCtxwin = (line: string): boolean => /^([A-Z_]+=('[^']*'|\S+) )*(npx )?ctxwin( |$)/.test(line)

/** Command lines of ctxwin: those in blocks of shell, and those in the text between backticks. */
export function toldIn(page: Page): string[] {
  const prose = page.text.replace(/^```[\s\S]*?^```$/gm, '')
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => (code as string).trim())
  // Alone it is a name there.
  return [...typedIn(page), ...spans.filter((span) => span !== 'ctxwin')].filter(isCtxwin)
}

/** A command line as the shell would pass it: variables in front, and the arguments behind `ctxwin`. */
export function parse(line: string, home: string): { argv: string[]; env: Record<string, string> } {
  const words = [...line.replace(/ >.*$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/^~/, home).replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )
  const start = words.indexOf('ctxwin')
  const set = words.slice(0, start).filter((word) => word !== 'npx')
  return {
    argv: words.slice(start + 1),
    env: Object.fromEntries(set.map((word) => word.split(/=(.*)/s, 2) as [string, string])),
  }
}
