/** What package.json says of the project, and what else says it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { begin, end, licencesTable } from '../tools/docs/licences.mjs'
import { blocksOf, type Page, pages, root } from './docs.ts'

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const [, address, owner] = /^git\+(https:\/\/github\.com\/([\w-]+)\/ctxwin)\.git$/.exec(manifest.repository.url) ?? []

const pageOf = (name: string): Page => ({ name, text: readFileSync(root + name, 'utf8') })

it('names the address of the repository once: what else names it says the same', () => {
  expect(manifest.bugs).toBe(`${address}/issues`)
  expect(manifest.homepage).toBe(`${address}#readme`)
  const others = [
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'action.yml',
    'tools/release/ctxwin.rb',
    'Dockerfile',
  ]
    .filter((name) => existsSync(root + name))
    .map((name) => ({ name, text: readFileSync(root + name, 'utf8') }))
  const named = [...pages, ...others].flatMap(({ name, text }) =>
    [...text.matchAll(/(?:github\.com\/|uses: )([\w-]+)\/ctxwin\b/g)].map(([, owner]) => `${name}: ${owner}`),
  )
  expect(named).toContain(`docs/ci.md: ${owner}`)
  expect(named.filter((name) => !name.endsWith(`: ${owner}`))).toEqual([])
})

const packed = manifest.files.filter((path: string) => !path.startsWith('!'))
const isPacked = (path: string): boolean =>
  existsSync(root + path) && packed.some((one: string) => path === one || path.startsWith(`${one}/`))

it('has whatever its pages link to, or the link is a whole address: whoever reads them there has no repository', () => {
  const documents = [...pages, ...packed.filter((path: string) => /^\w+\.md$/.test(path)).map(pageOf)]
  const links = documents.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .filter(([, path]) => !/^\w+:/.test(path as string))
      .map(([, path]) => ({
        name,
        path: join(name, '..', path as string)
          .replaceAll('\\', '/')
          .replace(/\/$/, ''),
      })),
  )
  expect(links.length).toBeGreaterThan(100)
  const always = ['README.md', 'LICENSE']
  expect(links.filter(({ path }) => !always.includes(path) && !isPacked(path))).toEqual([])
})

it('links to files of the repository that are there', () => {
  const links = [...pages, ...['CHANGELOG.md', 'SECURITY.md'].map(pageOf)].flatMap(({ text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .filter(([, target]) => target?.startsWith(`${address}/`))
      .map(([, target]) => /^\/(?:blob|tree)\/main\/([^#]+)/.exec(target!.slice(address!.length))?.[1] ?? target!),
  )
  expect(links.filter((path) => !existsSync(root + path))).toEqual([])
  expect(links.length).toBeGreaterThan(10)
})

it('has each transcript that a page runs a command on, or the page says where that is', () => {
  const blocks = pages.flatMap((page) => blocksOf(page).map((block) => ({ ...block, page: page.name })))
  const missing = blocks.flatMap(({ page, code, above }) =>
    [...code.matchAll(/^(?:\$ )?(?:npx )?ctxwin .*$/gm)]
      .flatMap(([line]) => [...line.matchAll(/\bfixtures\/\S+/g)].map(([path]) => path))
      .filter((path) => !packed.includes(path) && !above.includes('repository'))
      .map((path) => `${page}: ${path}`),
  )
  expect(missing).toEqual([])
})

it('says of each tool of the repository that a page runs that it is there', () => {
  const untold = pages.flatMap(({ name, text }) =>
    text.split(/^## /m).flatMap((section, _, [head]) => {
      const tools = [...section.matchAll(/^(?:npm (?:run|ci|test)|node (?:tools|bench)\/).*$/gm)].map(([line]) => line)
      return /repository|checkout|clone/.test(`${head}${section}`) ? [] : tools.map((line) => `${name}: ${line}`)
    }),
  )
  expect(untold).toEqual([])
})

it('is of the version that the changelog begins with', () => {
  const [, version] = /^## (\S+)/m.exec(pageOf('CHANGELOG.md').text) ?? []
  expect(version).toBe(manifest.version)
  const named = [...pages, pageOf('action.yml')].flatMap(({ name, text }) =>
    [...text.matchAll(/ctxwin@v?(\d[\w.-]*)|^ *rev: v(\S+)/gm)].map(([, ...versions]) => ({
      name,
      version: versions.find(Boolean),
    })),
  )
  expect(named.filter((one) => one.version !== version)).toEqual([])
  expect(named.length).toBeGreaterThan(1)
})

it('runs nothing where it is installed', () => {
  // npm runs and warns of these, and of `prepare` where what is installed is a file or a repository.
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
    expect(manifest.scripts).not.toHaveProperty(script)
  }
  expect(readdirSync(root)).not.toContain('binding.gyp')
})

it('lists the licences of what is installed with it', () => {
  const page = readFileSync(`${root}docs/licences.md`, 'utf8')
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))
  expect(page.split(begin)[1]?.split(end)[0]?.trim()).toBe(licencesTable(lock))
  for (const name of Object.keys(manifest.dependencies)) expect(page).toContain(`| ${name} |`)
})

it.each(['', 'tools/site/', 'tools/oracles/', 'tools/adapters/'])(
  'has what each system needs in %spackage-lock.json',
  (place) => {
    // npm leaves out what it could not find where it wrote the file, and `npm ci` then fails on the other systems.
    const { packages } = JSON.parse(readFileSync(`${root}${place}package-lock.json`, 'utf8'))
    const needed = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(
      ([name, { optionalDependencies = {} }]) => Object.keys(optionalDependencies).map((one) => [name, one]),
    )
    const isLocked = ([name, one]: string[]) =>
      `${name}/node_modules/${one}` in packages || `node_modules/${one}` in packages
    expect(needed.filter((pair) => !isLocked(pair))).toEqual([])
  },
)
