/** The README and the docs: their links lead somewhere, and what stands in a block of code is run by a test or said to be untested. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { topicGroups, topics } from '../src/cli/inputs/topics.ts'
import { anchorOf } from '../tools/site/anchors.mjs'
import { blocksOf, isCtxwin, pages, root, typedIn } from './docs.ts'

/** By page and language: the test that runs the blocks. Those of shell are run by test/readme.slow.test.ts. */
const runBy: Readonly<Record<string, string>> = {
  'README.md js': 'package.slow',
  'docs/advise.md js': 'advise.slow',
  'docs/advise.md json': 'advise.slow',
  'docs/ci.md jsonc': 'check/ci-docs.slow',
  'docs/ci.md json': 'check/ci-docs.slow',
  'docs/ci.md yaml': 'check/ci-docs.slow',
  'docs/cli.md js': 'cli/inputs/own-module.slow',
  'docs/cli.md json': 'cli/inputs/own-module.slow',
  'docs/cli.md ts': 'cli/inputs/own-module.slow',
  'docs/compose.md json': 'policies/docs',
  'docs/library.md js': 'library.slow',
  'docs/live.md js': 'library.slow',
  'docs/live.md python': 'live/emitted.slow',
  'docs/own-format.md js': 'readme.slow',
  'docs/own-format.md json': 'readme.slow',
  'docs/own-format.md jsonl': 'readme.slow',
  'docs/policies.md json': 'policies/docs',
  'docs/queries.md sql': 'tables/queries.slow',
  'docs/scale.md bash': 'cli/cluster.slow',
  'docs/turn-on.md js': 'live/adapters.slow',
  'docs/turn-on.md json': 'live/live',
  'docs/tutorial.md json': 'readme.slow',
}

it('links to files and headings that are there', () => {
  const missing: string[] = []
  for (const { name, text } of pages) {
    for (const [, path, heading] of text.matchAll(/\]\(([^)#:\s]*)(?:#([^)]+))?\)/g)) {
      const target = path === '' ? name : join(name, '..', path as string)
      if (!existsSync(root + target)) missing.push(`${name}: ${path}`)
      else if (heading !== undefined && target.endsWith('.md')) {
        const known = [...readFileSync(root + target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
          anchorOf(words as string),
        )
        if (!known.includes(heading)) missing.push(`${name}: ${path}#${heading}`)
      }
    }
  }
  expect(missing).toEqual([])
})

it('has no block of code that no test runs, but those that it says are untested', () => {
  const blocks = pages.flatMap((page) =>
    blocksOf(page).map((block) => ({ ...block, kind: `${page.name} ${block.language}` })),
  )
  const unrun = blocks.filter(
    ({ kind, language, above }) =>
      !['', 'text', 'sh'].includes(language) && !Object.hasOwn(runBy, kind) && !above.includes('untested'),
  )
  expect(unrun.map(({ kind, code }) => `${kind}: ${code.slice(0, 60)}`)).toEqual([])
  // A block without a language is what is printed, below its command.
  const commands = blocks.filter(({ language, code }) => language === '' && /^(npm|npx|node|ctxwin) /m.test(code))
  expect(commands.filter(({ code }) => !code.startsWith('$ ctxwin')).map(({ code }) => code)).toEqual([])
})

it('types nothing that is not there besides ctxwin', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const others = pages.flatMap((page) => typedIn(page).filter((line) => !isCtxwin(line)))
  const isThere = (line: string): boolean => {
    const [, script] = /^npm run ([\w:]+)/.exec(line) ?? []
    // The last is one of the reader's own, which docs/ci.md has above it.
    if (script !== undefined) return Object.hasOwn(scripts, script) || script === 'check:transcripts'
    const [, file] = /^node (\S+)/.exec(line) ?? []
    if (file !== undefined) return existsSync(root + file)
    const [, place] = /^npm .*--prefix (\S+)/.exec(line) ?? []
    if (place !== undefined) return existsSync(`${root}${place}/package-lock.json`)
    // test/privacy/network.slow.test.ts runs ctxwin so.
    if (line.startsWith('unshare -rn ')) return isCtxwin(line.slice('unshare -rn '.length))
    return /^npm (ci|test|install (--global|--save-dev) ctxwin)$/.test(line)
  }
  expect(others.filter((line) => !isThere(line))).toEqual([])
  expect(others.length).toBeGreaterThan(10)
})

it('lists every page in the README, in the groups and the order of `ctxwin help`', () => {
  const [readme] = pages
  const [, list = ''] = readme!.text.split('\n## More\n')
  const listed = list
    .split('\n- ')
    .slice(1)
    .map((item) => ({
      group: /^\*\*(.+?)\*\*/.exec(item)?.[1],
      names: [...item.matchAll(/\]\(docs\/([\w-]+)\.md\)/g)].map(([, name]) => name),
    }))
  const grouped = Object.entries(topicGroups).map(([key, group]) => ({
    group,
    names: topics.filter(({ group }) => group === key).map(({ name }) => name),
  }))
  expect(listed).toEqual(grouped)
})

it('begins each page with words: what a reader came for', () => {
  const begun = pages.map(({ name, text }) => ({ name, first: text.split('\n\n')[1] ?? '' }))
  expect(
    begun.filter(({ first }) => !/^[\w`[]/.test(first) || first.startsWith('```')).map(({ name }) => name),
  ).toEqual([])
})

it('can be read in a diff: no line of prose is longer than 160 characters', () => {
  const long = pages.flatMap(({ name, text }) => {
    const prose = text
      .replace(/^ *```[\s\S]*?^ *```$/gm, '')
      .replace(/^<!-- (?:generated|measured|tables|truth)[\s\S]*?^<!-- end.*$/gm, '')
    return prose
      .split('\n')
      .filter((line) => line.replaceAll(/\]\(https:[^)]*\)/g, ']').length > 160 && !line.startsWith('|'))
      .map((line) => `${name}: ${line}`)
  })
  expect(long).toEqual([])
})

it('names only tests and blocks that there are', () => {
  const kinds = new Set(pages.flatMap((page) => blocksOf(page).map(({ language }) => `${page.name} ${language}`)))
  const gone = Object.entries(runBy).filter(
    ([kind, test]) => !kinds.has(kind) || !existsSync(`${root}test/${test}.test.ts`),
  )
  expect(gone).toEqual([])
})
