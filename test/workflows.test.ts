/** What GitHub is told to run is there, and may do no more than it has to. Nobody can run it here. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from './docs.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly 'runs-on': string
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly concurrency: { readonly group: string }
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = `${root}.github/workflows/`
const textOf = (name: string) => readFileSync(folder + name, 'utf8')
const names = readdirSync(folder)
const { scripts, engines } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const workflow = (name: string): Workflow => parse(textOf(name))
const jobsOf = (name: string) => Object.entries(workflow(name).jobs)
const linesOf = ({ steps }: Job) =>
  steps.flatMap(({ run = '' }) => run.split('\n')).filter((line) => line.trim() !== '')

/** Whether what a line names is in the repository: a script of package.json, a file. */
function isThere(line: string): boolean {
  const [, script] = /^npm run ([\w:]+)$/.exec(line) ?? []
  if (script !== undefined) return Object.hasOwn(scripts, script)
  const [, file] = /^(?:node )?((?:tools\/|\.ci\/)\S+)/.exec(line) ?? []
  if (file !== undefined) return existsSync(root + file)
  return /^(npm ci |npm publish release\/|sudo apt-get |gh release create )/.test(line)
}

describe.each(names)('.github/workflows/%s', (name) => {
  it('runs what is there', () => {
    const lines = jobsOf(name).flatMap(([, job]) => linesOf(job))
    expect(lines.filter((line) => !isThere(line))).toEqual([])
    expect(lines.length).toBeGreaterThan(4)
  })

  it('names each action by its commit, with its version beside it', () => {
    const used = textOf(name)
      .split('\n')
      .filter((line) => /\buses:/.test(line))
    expect(used.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
    expect(used).not.toEqual([])
  })

  it('may write nothing that no job says, ends, and is not run twice at once', () => {
    const { permissions, concurrency } = workflow(name)
    expect(Object.values(permissions).filter((right) => right !== 'read')).toEqual([])
    expect(concurrency.group).not.toBe('')
    for (const [, job] of jobsOf(name)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  it('puts no word of who started it into a script', () => {
    for (const [, job] of jobsOf(name)) expect(linesOf(job).join('\n')).not.toContain('${{')
  })
})

it('ci runs all on Linux, and the fast lane elsewhere, on the oldest Node that is promised', () => {
  const { all, fast } = workflow('ci.yml').jobs as { all: Job; fast: Job }
  expect([all['runs-on'], linesOf(all).at(-1)]).toEqual(['ubuntu-latest', '.ci/run'])
  accessSync(`${root}.ci/run`, constants.X_OK)
  expect(fast.strategy?.matrix.os).toEqual(['macos-latest', 'windows-latest'])
  expect(linesOf(fast).slice(1)).toEqual(['npm run lint', 'npm run types', 'npm run test:fast'])
  const versions = [all, fast].flatMap(({ steps }) => steps.map((step) => step.with?.['node-version']))
  expect(versions.filter((version) => version !== undefined).map((version) => `>=${version}`)).toEqual(
    [1, 2].map(() => engines.node.replace(/\..*/, '')),
  )
})

it('release publishes what was tried, and only that job may', () => {
  const { on, permissions, jobs } = workflow('release.yml')
  expect([on, permissions]).toEqual([{ push: { tags: ['v*'] } }, {}])
  const { build, publish, list } = jobs as { build: Job; publish: Job; list: Job }
  expect(linesOf(build).slice(1)).toEqual([
    'node tools/release/tag.mjs "$GITHUB_REF_NAME"',
    ...['same', 'nodes', 'bare'].map((tool) => `node tools/release/${tool}.mjs`),
    'node tools/release/make.mjs release/',
  ])
  expect([publish.needs, list.needs]).toEqual(['build', 'publish'])
  expect(linesOf(publish)).toEqual(['npm publish release/ctxwin-*.tgz --provenance --access public'])
  expect([build, publish, list].map(({ permissions }) => permissions)).toEqual([
    { contents: 'read' },
    { 'id-token': 'write' },
    { contents: 'write' },
  ])
})

it('has a fast lane that every shell takes for the same files: cmd.exe knows no single quotes', () => {
  const quoted = Object.entries<string>(scripts).filter(([, script]) => script.includes("'"))
  expect(quoted).toEqual([])
})
