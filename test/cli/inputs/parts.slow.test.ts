/** Shards, their parts, and what `merge` makes of them. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outputNames } from '../../../src/cli/inputs/settings.ts'
import { publishedSchema } from '../../schema.ts'
import { writeHostileFiles } from '../hostile-files.ts'
import { runCli, wordsOf } from '../run.ts'

let cwd = ''
let inputs: string[] = []
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-parts-'))
  inputs = writeHostileFiles(cwd)
})
afterAll(() => rmSync(cwd, { recursive: true }))

const ctxwin = (...argv: string[]) => runCli(argv, { cwd })

async function writeParts(argv: readonly string[], shards: number, name = argv[0]): Promise<string[]> {
  const names = Array.from({ length: shards }, (_, at) => `${name}-${at + 1}-of-${shards}.ndjson`)
  for (const [at, file] of names.entries()) {
    const { code, stdout } = await ctxwin(...argv, '--shard', `${at + 1}/${shards}`, '--output', 'partial')
    expect(code).toBe(0)
    writeFileSync(join(cwd, file), stdout)
  }
  return names
}

const cheap = ['--estimator', 'bytes']
const commands: readonly (readonly [command: string, flags: readonly string[], outputs: readonly string[][]])[] = [
  ['simulate', ['-p', 'ikigai,keep-all', '-b', '10k', '--by', 'exchange', '--full', ...cheap], everyOutput()],
  ['simulate', ['-b', '10k', '--by', 'reference', '-e', 'bytes'], [['--output', 'table'], ['--json']]],
  [
    'calibrate',
    ['--estimator', 'bytes,auto'],
    [
      ['--output', 'table'],
      ['--output', 'csv'],
    ],
  ],
  ['spend', ['--top', '3'], someOutputs(2)],
  ['quality', ['--endpoint', 'failed,output', '--seed', '2'], someOutputs(0)],
  ['overview', ['--estimator', 'bytes'], someOutputs(1)],
  ['sessions', ['--sort', 'date'], someOutputs(2)],
  ['sessions', ['--changed', '2026-03-02'], someOutputs(0)],
  ['recommend', ['-p', 'drop-oldest,mask-tool-results', '-b', '10k,20k', '-e', 'bytes'], [['--json'], []]],
  [
    'check',
    ['-b', '10k', '--assert', 'maxCuts=1', ...cheap.slice(1)],
    [['--reporter', 'json'], ['--reporter', 'junit'], []],
  ],
]

function everyOutput(): string[][] {
  return outputNames.map((name) => ['--output', name])
}

/** What is merged is the same for all: for each command a third of them, and JSON, which has all figures. */
function someOutputs(nth: number): string[][] {
  return everyOutput().filter(([, name], at) => at % 3 === nth || name === 'json')
}

describe('parts, merged', () => {
  it.each(commands)(
    'are what one run of %s %j says, on both streams and in its exit code',
    async (command, flags, outputs) => {
      const parts = await writeParts([...wordsOf(command), ...inputs, ...flags], 3)
      for (const output of outputs) {
        const whole = await ctxwin(...wordsOf(command), ...inputs, ...flags, ...output)
        expect(whole.stdout).not.toBe('')
        expect(await ctxwin('merge', ...parts.toReversed(), ...output)).toEqual(whole)
      }
    },
  )

  it('are the same in whatever order and groups, for any number of shards', async () => {
    const argv = ['simulate', ...inputs, '-b', '10k', ...cheap]
    const whole = await ctxwin(...argv, '--json')
    const divided = new Map<number, string[]>()
    for (const shards of [1, 2, 5]) divided.set(shards, await writeParts(argv, shards, 'law'))
    const cases = fc.constantFrom(1, 2, 5).chain((shards) =>
      fc.record({
        parts: fc.constant(divided.get(shards) as string[]),
        seed: fc.array(fc.nat(), { minLength: 9, maxLength: 9 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(cases, async ({ parts, seed }) => {
        const queue = [...parts].sort((a, b) => (seed[parts.indexOf(a)] as number) - (seed[parts.indexOf(b)] as number))
        // Merges neighbours until two are left or one.
        for (let nth = 0; queue.length > 2; nth++) {
          const at = (seed[nth] as number) % (queue.length - 1)
          const [one, other] = queue.splice(at, 2) as [string, string]
          const merged = `merged-${nth}.ndjson`
          expect((await ctxwin('merge', other, one, '--output', 'partial', '-o', merged)).code).toBe(0)
          queue.splice(at, 0, merged)
        }
        expect(await ctxwin('merge', ...queue, '--json')).toEqual(whole)
      }),
      { numRuns: 6 },
    )
  })

  it('leave out what a setting leaves out, and say so once', async () => {
    for (const flags of [
      ['--since', '2026-01-01'],
      ['--min-requests', '3'],
      ['--only-model', 'claude'],
    ]) {
      const argv = ['simulate', ...inputs, ...flags, ...cheap]
      const parts = await writeParts(argv, 2, `left-${flags[1]}`)
      expect(await ctxwin('merge', ...parts)).toEqual(await ctxwin(...argv))
    }
  })
})

it('a part is as its schema says, whatever its files are', async () => {
  const { violations } = publishedSchema('partial')
  for (const flags of [[], ['--min-requests', '3'], ['--only-model', 'nobody']]) {
    const { stdout } = await ctxwin('spend', ...inputs, ...flags, '--output', 'partial')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(lines.flatMap(violations)).toEqual([])
  }
})

describe('merge refuses', () => {
  it('parts of which shards are missing or doubled, and names them', async () => {
    const parts = await writeParts(['simulate', ...inputs, ...cheap], 4, 'four')
    const [one, two, three, four] = parts as [string, string, string, string]
    expect((await ctxwin('merge', four, two)).stderr).toBe('ctxwin: missing: shards 1/4, 3/4\n')
    copyFileSync(join(cwd, two), join(cwd, 'again.ndjson'))
    expect(await ctxwin('merge', one, two, three, four, 'again.ndjson')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: again.ndjson: it has shard 2/4, which ${two} has, too: give one of them\n`,
    })
  })

  it('parts of other settings, flags, files, commands or versions', async () => {
    const [one] = (await writeParts(['simulate', ...inputs, ...cheap], 2, 'one')) as [string]
    const refused = async (...argv: string[]) => {
      const [, other] = (await writeParts(argv, 2, 'other')) as [string, string]
      const { code, stderr } = await ctxwin('merge', one, other)
      expect(code).toBe(2)
      return stderr
    }
    expect(await refused('simulate', ...inputs, ...cheap, '-b', '9k')).toContain('made with another budget (["9k"])')
    expect(await refused('simulate', ...inputs, ...cheap, '--top', '3')).toContain('made with other flags')
    expect(await refused('simulate', 'logs', ...cheap)).toContain('it is of other files')
    expect(await refused('recommend', ...inputs, ...cheap.slice(1))).toContain('it is of another command (recommend)')
    const old = readFileSync(join(cwd, one), 'utf8').replace(/"ctxwin":"[\d.]+"/, '"ctxwin":"0.0.1"')
    writeFileSync(join(cwd, 'old.ndjson'), old)
    expect((await ctxwin('merge', 'old.ndjson')).stderr).toContain('made by another version of ctxwin (0.0.1, this is')
  })

  it('settings of this place that are not those of the parts', async () => {
    const parts = await writeParts(['simulate', 'logs', ...cheap], 2, 'here')
    const { code, stderr } = await runCli(['merge', ...parts], { cwd, env: { CTXWIN_BUDGET: '5k' } })
    expect(code).toBe(2)
    expect(stderr).toBe(
      `ctxwin: ${parts[0]}: it was made with budget "own", and here CTXWIN_BUDGET says "5k": merge with the same settings\n`,
    )
  })

  it('a part that is cut off, and what is none', async () => {
    const [part] = (await writeParts(['simulate', 'logs', ...cheap], 1, 'cut')) as [string]
    const text = readFileSync(join(cwd, part), 'utf8')
    for (const end of [text.length - 30, text.length >> 1, text.indexOf('\n') + 20]) {
      writeFileSync(join(cwd, 'cut.ndjson'), text.slice(0, end))
      const { code, stdout, stderr } = await ctxwin('merge', 'cut.ndjson')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^ctxwin: cut\.ndjson: it is damaged or cut off: run its shard again$/m)
    }
    expect((await ctxwin('merge', 'logs/b-session.jsonl')).stderr).toContain(
      'it is no part that --output partial wrote',
    )
    expect((await ctxwin('merge', 'logs/empty.jsonl')).stderr).toContain('it is no part that --output partial wrote')
    expect((await ctxwin('merge', 'nothing.ndjson')).stderr).toBe(
      'ctxwin: cannot read nothing.ndjson: there is no such file\n',
    )
  })

  it('to run code because a part names it', async () => {
    writeFileSync(join(cwd, 'mine.mjs'), "export default { name: 'mine', start: () => ({ message() {} }) }")
    const argv = ['simulate', 'logs', '-p', './mine.mjs', ...cheap]
    const parts = await writeParts(argv, 2, 'own')
    const { code, stderr } = await ctxwin('merge', ...parts)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: the parts were made with ./mine.mjs, which is a policy of your own: name it to merge, too\n',
    })
    expect(await ctxwin('merge', ...parts, '-p', './mine.mjs')).toEqual(await ctxwin(...argv))
  })

  it('a file that counts in part, and has changed since, with the reason why it is read again', async () => {
    const small = ['logs/a-beginning.jsonl', 'logs/b-session.jsonl']
    const parts = await writeParts(['simulate', ...small, ...cheap], 2, 'changed')
    const kept = readFileSync(join(cwd, 'logs/b-session.jsonl'))
    rmSync(join(cwd, 'logs/b-session.jsonl'))
    const { code, stderr } = await ctxwin('merge', ...parts)
    writeFileSync(join(cwd, 'logs/b-session.jsonl'), kept)
    expect(code).toBe(2)
    expect(stderr).toContain('cannot read logs/b-session.jsonl')
    expect(stderr).toContain('a part of it is in logs/a-beginning.jsonl, too, so merge reads it again')
  })
})

describe('a shard', () => {
  it.each([
    ['--shard', '0/3'],
    ['--shard', '4/3'],
    ['--shard', 'x'],
    ['--shard', '1/3', '--last', '2'],
    ['--shard', '1/3', '--since', '7d'],
  ])('is refused where it could mean nothing, or something else in each process: %s %s', async (...flags) => {
    const { code, stderr } = await ctxwin('simulate', 'logs', ...flags)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^ctxwin: [^\n]+\n$/)
  })
})
