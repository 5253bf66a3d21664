/** What package.json says of the project, and what else says it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { begin, end, licencesTable } from '../tools/docs/licences.mjs'
import { pages, root } from './docs.ts'

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const [, address, owner] = /^git\+(https:\/\/github\.com\/([\w-]+)\/ctxwin)\.git$/.exec(manifest.repository.url) ?? []

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

it('has every page that the README leads to: the registry shows it without the repository', () => {
  const packed = manifest.files.filter((path: string) => !path.startsWith('!'))
  const [readme] = pages
  const links = [...(readme?.text ?? '').matchAll(/\]\(([^):#]+)[^)]*\)/g)].map(([, path]) => path as string)
  expect(links.length).toBeGreaterThan(20)
  const isPacked = (link: string) => packed.some((path: string) => link === path || link.startsWith(`${path}/`))
  expect(links.filter((link) => !isPacked(link) || !existsSync(root + link))).toEqual([])
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
