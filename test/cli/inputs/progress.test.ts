/** The bar of a long reading. The clock is made up: every look at it is so much later. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Source } from '../../../src/app/index.ts'
import { Progress } from '../../../src/cli/inputs/progress.ts'
import { main } from '../../../src/cli/start/main.ts'
import { Collected } from '../run.ts'

const folder = mkdtempSync(join(tmpdir(), 'ctxwin-progress-'))
afterAll(() => rmSync(folder, { recursive: true }))
const sessions = join(folder, '.claude/projects/-app')
mkdirSync(sessions, { recursive: true })
const names = ['first.jsonl', 'second.jsonl', 'third ☃.jsonl']
for (const name of names) copyFileSync('fixtures/claude-code/refactor.jsonl', join(sessions, name))

/** What stands on standard error in the end, each state of its last line on a line of its own. */
async function shown(argv: readonly string[], { isTTY = true, env = {}, step = 1000 } = {}): Promise<string[]> {
  const stderr = Object.assign(new Collected(), { isTTY, columns: 80 })
  const stdin = Object.assign(Readable.from([]), { isTTY: true })
  let time = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += step))
  try {
    const world = { stdin, stdout: new Collected(), stderr, env: { HOME: folder, ...env }, cwd: () => folder }
    expect(await main(argv, world)).toBe(0)
  } finally {
    clock.mockRestore()
  }
  return stderr.text.split('\r\u001b[K')
}

it('knows the size of plain files alone, and looks in vain at links that go round', () => {
  symlinkSync('self', join(folder, 'self'))
  const { sizeOf } = new Progress({ status: () => {}, cwd: () => folder })
  const sizes = ['.claude', '-', 'self', 'self/a.jsonl', 'none.jsonl', 'x'.repeat(5000)].map((name) =>
    sizeOf({ name } as Source),
  )
  expect(sizes).toEqual(sizes.map(() => null))
  expect(sizeOf({ name: `.claude/projects/-app/${names[0]}` } as Source)).toBeGreaterThan(1000)
})

describe('the progress', () => {
  const exchanges = ['history', '--exchanges', '.claude']

  it('is a bar with the files and the name of the file alone, and is gone in the end', async () => {
    const lines = await shown(exchanges)
    expect(lines[1]).toBe(`[${'-'.repeat(20)}]  1/3  first.jsonl`)
    expect(lines).toContainEqual(expect.stringMatching(/^\[#{13}-{7}\] {2}3\/3 {2}(\d+ s left {2})?third \?\.jsonl$/))
    expect(lines.at(-1)).toBe('')
  })

  it('has of the overview what was spent so far, by program', async () => {
    const lines = await shown([...['claude-code', 'codex'].map((format) => resolve('fixtures', format)), '--jobs', '1'])
    const spent = lines.flatMap((line) => {
      const [, usd] = / {2}so far: .*claude-code \$([\d.]+)/.exec(line) ?? []
      return usd === undefined ? [] : [Number(usd)]
    })
    expect(spent.length).toBeGreaterThan(3)
    expect(spent).toEqual(spent.toSorted((a, b) => a - b))
    expect(lines.at(-1)).toBe('')
  })

  it('ends at Ctrl-C with the answer for what has been read', async () => {
    const different = [
      'claude-code/refactor.jsonl',
      'claude-code/compaction.jsonl',
      'claude-code/microcompact.jsonl',
    ].map((name) => resolve('fixtures', name))
    const run = async (stopAt: string): Promise<[number, string, string]> => {
      const others = process.listeners('SIGINT')
      let isAsked = false
      class Stopping extends Collected {
        readonly isTTY = true
        override _write(chunk: Buffer, encoding: string, done: () => void): void {
          if (!isAsked && chunk.toString().includes(stopAt)) {
            isAsked = true
            // Whoever else listens in this process is not asked.
            for (const listener of process.listeners('SIGINT')) if (!others.includes(listener)) listener('SIGINT')
          }
          super._write(chunk, encoding, done)
        }
      }
      const [stdout, stderr] = [new Collected(), new Stopping()]
      const stdin = Object.assign(Readable.from([]), { isTTY: true })
      let time = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000))
      try {
        const world = { stdin, stdout, stderr, env: { HOME: folder }, cwd: () => folder }
        const code = await main(['--no-cache', ...different], world)
        expect(process.listeners('SIGINT')).toEqual(others)
        return [code, stdout.text, stderr.text.split('\r\u001b[K').at(-1) as string]
      } finally {
        clock.mockRestore()
      }
    }
    const [code, answer, note] = await run('2/3')
    expect([code, note]).toEqual([130, 'ctxwin: stopped after 2 of 3 files\n'])
    expect(answer).toContain(' in 2 sessions since ')
    // At the last file there is nothing left to stop.
    expect((await run('3/3'))[0]).toBe(0)
  })

  it('is gone from the line before anything is said', async () => {
    const lines = await shown(['history'])
    expect(lines[1]).toMatch(/^\[-{20}\] {2}1\/3 /)
    expect(lines.find((line) => line.includes('newest'))).toMatch(/^ctxwin: the newest session: .*\n$/)
  })

  it('leaves a file as it was that has to be begun twice: an array, of which it is not kept where its reading stopped', async () => {
    const file = join(folder, 'array.json')
    const messages = [
      { role: 'user', content: 'x'.repeat(1 << 16) },
      { role: 'assistant', content: 'y' },
    ]
    writeFileSync(file, JSON.stringify([{ messages }]))
    expect(await shown(['simulate', file])).toContainEqual(expect.stringMatching(/ {2}1\/1 {2}array\.json$/))
  })

  it.each([
    ['in a pipe', exchanges, { isTTY: false }],
    ['with --quiet', [...exchanges, '--quiet'], {}],
    ['on a terminal that cannot take a line back', exchanges, { env: { TERM: 'dumb' } }],
    ['for a reading that is over in a blink', exchanges, { step: 1 }],
  ])('is silent %s', async (_, argv, how) => {
    expect(await shown(argv, how)).toEqual([''])
  })
})

describe('the time left', () => {
  /** What stands on the line after each piece of a reading: how many of a hundred files are done, and at which second. */
  function leftAfter(pieces: readonly (readonly [second: number, done: number])[]): (string | null)[] {
    let line = ''
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time)
    try {
      const progress = new Progress({ status: (text) => (line = text), cwd: () => folder })
      return pieces.map(([second, done]) => {
        time = 1000 * second
        progress.at(done, 100, 'a.jsonl')
        return / (\d+ (?:s|min) left) /.exec(line)?.[1] ?? null
      })
    } finally {
      clock.mockRestore()
    }
  }

  it('is told when the same figure has come out twice', () => {
    const steady = [3, 4, 5, 6].map((second) => [second, 10 * second] as const)
    expect(leftAfter(steady)).toEqual([null, '6 s left', '5 s left', '4 s left'])
  })

  it('is not told before a tenth is done, however steady it is', () => {
    const slow = [30, 60, 90, 99, 100, 101].map((second) => [second, second / 10] as const)
    expect(leftAfter(slow)).toEqual([null, null, null, null, null, '15 min left'])
  })

  it('is not told while the figure jumps', () => {
    expect(
      leftAfter([
        [3, 20],
        [4, 60],
        [5, 62],
        [6, 90],
        [9, 91],
      ]),
    ).toEqual([null, null, null, null, null])
  })

  it('goes where it has become far from true, and comes back when it is steady again', () => {
    const steady = [3, 4, 5].map((second) => [second, 10 * second] as const)
    // Nothing more is done for a while, and then as much a second as it took on average.
    const stuck = [
      [10, 50],
      [25, 50],
      [26, 52],
      [27, 54],
    ] as const
    expect(leftAfter([...steady, ...stuck])).toEqual([
      null,
      '6 s left',
      '5 s left',
      null,
      null,
      '24 s left',
      '23 s left',
    ])
  })

  it('counts down between two reckonings', () => {
    const steady = [3, 4, 4.5].map((second) => [second, 10 * second] as const)
    expect(leftAfter(steady)).toEqual([null, '6 s left', '6 s left'])
  })
})
