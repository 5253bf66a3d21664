/** The output shown in the README and the docs is what the commands print. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { runCli } from './cli/run.ts'

const root = new URL('..', import.meta.url).pathname
const readme = readFileSync(`${root}README.md`, 'utf8')

const docs = readdirSync(`${root}docs`)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(`${root}docs/${name}`, 'utf8'))

describe('README', () => {
  const shown = [...[readme, ...docs].join('\n').matchAll(/```\n\$ ctxwin ([^\n]+)\n([\s\S]*?)```/g)]

  it.each(shown.map(([, line, output]) => [line as string, output as string]))('ctxwin %s', async (line, output) => {
    const { stdout } = await runCli(line.split(' '))
    expect(stdout).toBe(output)
  })

  it('shows something', () => expect(shown.length).toBeGreaterThan(0))

  it('has a line and an example for each command', () => {
    for (const { name } of commands) expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\|.*\`ctxwin ${name}`))
  })

  it('links to files that are there', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path as string)
    expect(links.filter((path) => !existsSync(root + path))).toEqual([])
  })

  it('gives the two commands that CI runs', () => {
    const ci = readFileSync(`${root}.ci/run`, 'utf8')
    expect(ci).toContain(/npx ctxwin simulate [^\n]+/.exec(readme)?.[0])
    expect(ci).toContain('npm test')
  })
})
