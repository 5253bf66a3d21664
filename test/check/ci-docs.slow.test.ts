/** Follows docs/ci.md to the letter: sets up a repository with its commands and files, and breaks it in its ways. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { assertables } from '../../src/check/metrics.ts'
import { conversation, useRepository } from './repository.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(join(root, 'docs/ci.md'), 'utf8')
const blocks = [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language, name, code]) => ({
  language,
  name: name as string,
  code: code as string,
}))

/** The arguments after `npx ctxwin` or `ctxwin`, in the order of the page. */
const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ code }) => [...code.matchAll(/^npx ctxwin (.*)$/gm)].map(([, words]) => (words as string).split(' ')))

const repository = useRepository()
const { write, read } = repository

function block(name: string): string {
  const found = blocks.find((one) => one.name === name)
  if (!found) throw new Error(`docs/ci.md has no ${name}`)
  return found.code
}

/** A repository with the page's config file and a baseline. */
async function setUp(): Promise<void> {
  repository.env = {}
  write('transcripts/a.jsonl', conversation(3))
  write('transcripts/b.jsonl', conversation(5))
  write('transcripts/long/c.jsonl', conversation(200))
  write('ctxwin.config.jsonc', block('ctxwin.config.jsonc'))
  expect(await repository.ctxwin(...(commands[2] ?? []))).toMatchObject({ code: 0 })
  expect(await check()).toMatchObject({ code: 0, stderr: '' })
}

const check = () => repository.ctxwin(...(commands[1] ?? []))

describe('docs/ci.md', () => {
  it('starts with init, and what it writes holds', async () => {
    repository.env = {}
    write('transcripts/a.jsonl', conversation(3))
    expect(commands.map((words) => words.join(' '))).toEqual([
      'check --init transcripts/',
      'check',
      'check --update-baseline',
    ])
    expect(await repository.ctxwin(...(commands[0] ?? []))).toMatchObject({ code: 0 })
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok: 1 transcript, /) })
  })

  it('fails a transcript that grows past its limit', async () => {
    await setUp()
    write('transcripts/a.jsonl', conversation(40))
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^error transcripts\/a\.jsonl:80 maxPeakTokens\n {6}peakTokens is 2,\d+, at most 2,000 allowed \(\d+ over\)\n {6}ctxwin simulate transcripts\/a\.jsonl --budget 100000 --policy ikigai --estimator bytes\n/m,
    )
  })

  it('fails a damaged one', async () => {
    await setUp()
    write('transcripts/a.jsonl', conversation(3).replace('\n', '\n{"role": "user", "conte\n'))
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error transcripts\/a\.jsonl:2 maxDamagedLines\n {6}damagedLines is 1, at most 0 allowed/m)
  })

  it('fails a stale entry of the baseline', async () => {
    await setUp()
    repository.remove('transcripts/b.jsonl')
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^error ctxwin-baseline\.json:\d+ baseline\/stale\n {6}the baseline has transcripts\/b\.jsonl, /m,
    )
    expect(stdout).toMatch(/^failed: 1 error, /m)
  })

  it('says re-baseline when the estimator is another', async () => {
    await setUp()
    repository.env = { CTXWIN_ESTIMATOR: 'bytes:bytesPerToken=3' }
    const reason =
      'ctxwin-baseline.json was made with other estimators (bytes version 1, now bytes:bytesPerToken=3 version 1), so its figures cannot be compared: re-baseline with --update-baseline'
    const { code, stdout, stderr } = await check()
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ctxwin: ${reason}\n` })
    expect(stdout).toMatch(/^incomplete: /)
    expect(stdout).toContain(`; ${reason}\n`)
  })

  it('has a script that writes JUnit', async () => {
    await setUp()
    const script: string = JSON.parse(block('package.json')).scripts['check:transcripts']
    expect(await repository.ctxwin(...script.split(' ').slice(1))).toMatchObject({ code: 0 })
    expect(read('ctxwin.xml')).toContain('<testsuite name="transcripts/a.jsonl"')
  })

  it('has short names that are what it says', () => {
    const pairs = [...text.matchAll(/`(max\w+)`\s+is\s+`(max\w+)`/g)]
    expect(pairs).toHaveLength(4)
    for (const [, short, name] of pairs) {
      const metric = assertables.get(short as string)?.metric
      expect(metric, short).toBeDefined()
      expect(metric, short).toBe(assertables.get(name as string)?.metric)
    }
  })
})

describe('action.yml', () => {
  const action = readFileSync(join(root, 'action.yml'), 'utf8')

  it('is given what the text gives it', () => {
    const inputs = [...action.matchAll(/^ {2}([\w-]+):\n {4}description:/gm)].map(([, name]) => name)
    const used = [...block('.github/workflows/transcripts.yml').matchAll(/^ {10}([\w-]+):/gm)].map(([, name]) => name)
    expect(inputs).toEqual(expect.arrayContaining(used))
    expect(used).toEqual(['transcripts', 'arguments'])
  })
})

describe('.pre-commit-hooks.yaml', () => {
  it('runs for transcripts and the config file', () => {
    const hooks = readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')
    const files = new RegExp(hooks.match(/^ {2}files: (.*)$/m)?.[1] ?? 'x^')
    const names = [
      't/a.jsonl',
      'a.json.gz',
      'a.ndjson.zst',
      'ctxwin.config.jsonc',
      'ctxwin-baseline.json',
      'a.ts',
      'a.md',
    ]
    expect(names.filter((name) => files.test(name))).toEqual(names.slice(0, 5))
    expect(hooks).toContain(`- id: ${block('.pre-commit-config.yaml').match(/- id: (.*)/)?.[1]}\n`)
  })
})
