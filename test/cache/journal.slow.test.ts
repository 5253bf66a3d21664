import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal, readEntries } from '../../src/cache/journal.ts'
import { type Model, Questions } from '../../src/clients/ask.ts'
import { type Entries, type Kept, type Kind, keyOf } from '../../src/clients/journal.ts'
import { NoAnswer, Retries } from '../../src/clients/retries.ts'
import type { Answer } from '../../src/model/probe.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ctxwin-journal-'))
  path = join(directory, 'probe.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true }))

const answer = (text: string): Answer => ({
  action: { calls: [{ name: 'Read', input: { path: text } }], text },
  stop: 'end_turn',
  model: null,
  usage: { input: 3, cacheRead: 2, cacheWrite: 0, output: 1 },
})
const question = { api: 'chat', baseUrl: 'http://127.0.0.1/v1', asking: 'full' } as const
const key = (kind: Kind, n: number) => keyOf({ ...question, kind, body: { n } })

/** One entry, as it is written and as it is found; `lost` is how many tries of its key are lost once it stands there. */
type Step =
  | { readonly act: 'keep'; readonly kind: Kind; readonly key: string; readonly value: Kept[Kind] }
  | { readonly act: 'sending' | 'refused'; readonly key: string }
const steps: readonly Step[] = [
  { act: 'sending', key: key('answer', 1) },
  { act: 'keep', kind: 'answer', key: key('answer', 1), value: answer('“one”\n🙂') },
  { act: 'sending', key: key('answer', 2) },
  { act: 'refused', key: key('answer', 2) },
  { act: 'keep', kind: 'count', key: key('count', 1), value: 1234 },
  { act: 'sending', key: key('summary', 3) },
  { act: 'sending', key: key('summary', 3) },
  { act: 'keep', kind: 'summary', key: key('summary', 3), value: { ...answer('three'), usage: null } },
]

function write(path: string, taken: readonly Step[] = steps): void {
  const journal = openJournal(path)
  for (const step of taken) {
    if (step.act === 'keep') journal.keep(step.kind, step.key, step.value)
    else journal[step.act](step.key)
  }
  journal.close()
}

/** All that can be found, the slow and obvious way: by going through the steps. */
function expectFound(entries: Entries, taken: readonly Step[]): void {
  let lost = 0
  for (const one of new Set(steps.map((step) => step.key))) {
    const ofKey = taken.filter((step) => step.key === one)
    const kept = ofKey.findLast((step) => step.act === 'keep')
    for (const kind of ['answer', 'summary', 'count'] as const) {
      const value = kept?.act === 'keep' && kept.kind === kind ? kept.value : undefined
      expect(entries.find(kind, one)).toEqual(value)
    }
    const open =
      ofKey.filter((step) => step.act === 'sending').length - ofKey.filter((step) => step.act !== 'sending').length
    expect(entries.lost(one)).toBe(Math.max(0, open))
    lost += Math.max(0, open)
  }
  expect(entries.allLost).toBe(lost)
}

it('has what was put into it, for this user alone, and no clock', () => {
  write(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expectFound(readEntries(path), steps)
  write(join(directory, 'again'))
  expect(readFileSync(join(directory, 'again'))).toEqual(readFileSync(path))
  expect(readFileSync(path, 'utf8').split('\n')[0]).toBe('{"ctxwin":"probe journal","version":1}')
  expect(readdirSync(directory).sort()).toEqual(['again', 'probe.ndjson'])
})

it('opens again wherever it was cut, and goes on', () => {
  write(path)
  const bytes = readFileSync(path)
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10)
  for (let cut = 0; cut <= bytes.length; cut++) {
    writeFileSync(path, bytes.subarray(0, cut))
    // A line without its end is as good as whole: it is an object, and closed. The first one is written again.
    const whole = ends.filter((end, line) => cut >= (line === 0 ? end + 1 : end)).length
    const end = ends[whole - 1] ?? -1
    const kept = Math.max(0, whole - 1)
    expectFound(readEntries(path), steps.slice(0, kept))
    const journal = openJournal(path)
    expect([cut, journal.wasCut, journal.damaged]).toEqual([cut, cut > end + 1, []])
    journal.close()
    expect(readFileSync(path)).toEqual(bytes.subarray(0, (ends[Math.max(0, whole - 1)] ?? 0) + 1))
    expect(readEntries(path).wasCut).toBe(false)
    // To go on takes a disk its time: from each line once, torn in its midst.
    if (cut !== end + 40) continue
    write(path, steps.slice(kept))
    expect(readFileSync(path)).toEqual(bytes)
  }
})

it('leaves out what is damaged in its midst, and says which lines', () => {
  write(path)
  const lines = readFileSync(path, 'utf8').split('\n')
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: steps.length }), { minLength: 1 }),
      fc.string(),
      (at, nonsense) => {
        const garbage = nonsense.replace(/\n/g, ' ')
        writeFileSync(path, lines.map((line, index) => (at.includes(index) ? garbage : line)).join('\n'))
        const entries = readEntries(path)
        expect(entries.damaged).toEqual([...at].sort((a, b) => a - b).map((index) => index + 1))
        expectFound(
          entries,
          steps.filter((_, index) => !at.includes(index + 1)),
        )
      },
    ),
    { numRuns: 50 },
  )
})

it.each([
  ['a key that is none', { key: 'x', kind: 'count', value: 1 }],
  ['a kind that is none', { key: 'a'.repeat(64), kind: 'toString', value: 1 }],
  ['a count below zero', { key: 'a'.repeat(64), kind: 'count', value: -1 }],
  ['an answer without an action', { key: 'a'.repeat(64), kind: 'answer', value: { stop: null } }],
])('takes no line with %s', (_, line) => {
  write(path, [])
  writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(line)}\n`)
  expect(readEntries(path).damaged).toEqual([2])
})

it('has another key for another question', () => {
  const one = { ...question, kind: 'answer' as const, body: { n: 1 } }
  const others = [
    one,
    { ...one, kind: 'summary' as const },
    { ...one, api: 'responses' as const },
    { ...one, baseUrl: 'http://127.0.0.1/v2' },
    { ...one, asking: 'full again' },
    { ...one, body: { n: 2 } },
  ]
  expect(new Set(others.map(keyOf)).size).toBe(others.length)
  expect(keyOf({ ...one })).toBe(keyOf(one))
})

describe('a file that is not ours', () => {
  const refused = (words: RegExp | string) => {
    expect(() => openJournal(path)).toThrow(words)
    expect(existsSync(`${path}.lock`)).toBe(false)
  }

  it('is refused where it holds something else, and left as it is', () => {
    writeFileSync(path, '{"type":"user"}\n', { mode: 0o644 })
    refused(`cannot read ${path}: it is no journal of ctxwin probe`)
    expect(() => readEntries(path)).toThrow('it is no journal of ctxwin probe')
    expect(readFileSync(path, 'utf8')).toBe('{"type":"user"}\n')
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  it('is refused where it is a link, a directory, or not there to be made', () => {
    const target = join(directory, 'target')
    write(target)
    symlinkSync(target, path)
    refused(`cannot write ${path}: it is a link`)
    rmSync(path)
    mkdirSync(path)
    refused('cannot write')
    path = join(directory, 'no', 'such')
    expect(() => openJournal(path)).toThrow('its directory is not there')
  })

  it.skipIf(process.getuid === undefined)('is refused where others may have written it, and closed to readers', () => {
    write(path)
    chmodSync(path, 0o664)
    refused('others may have written it')
    chmodSync(path, 0o644)
    openJournal(path).close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})

describe('two runs', () => {
  it('do not have it at once', () => {
    const journal = openJournal(path)
    expect(() => openJournal(path)).toThrow(
      `${path} is used by another run of ctxwin: wait for it, or if none runs any more, remove ${path}.lock`,
    )
    journal.close()
    openJournal(path).close()
  })

  it('follow each other where the first has died', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(`${path}.lock`, `${pid} ${hostname()}\n`)
    openJournal(path).close()
    expect(readdirSync(directory)).toEqual(['probe.ndjson'])
  })

  it.each([
    ['of another machine', `1 elsewhere.${hostname()}\n`],
    ['that is being made', ''],
    ['of a process that lives', `${process.ppid} ${hostname()}\n`],
  ])('leave a lock %s', (_, text) => {
    writeFileSync(`${path}.lock`, text)
    expect(() => openJournal(path)).toThrow('is used by another run')
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(text)
  })

  it('do not both take over', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeFileSync(`${path}.lock`, `${pid} ${hostname()}\n`)
    writeFileSync(`${path}.lock.takeover`, `${process.pid} ${hostname()}\n`)
    expect(() => openJournal(path)).toThrow('is used by another run')
  })
})

describe('questions', () => {
  /** A model that says which body it got, fails as often as it is told to, and is stopped by `left`. */
  function modelWith(
    asked: string[],
    fails: readonly ('free' | 'lost' | null)[] = [],
    left = Number.POSITIVE_INFINITY,
  ): Model {
    const retries = new Retries({ place: 'here', what: 'answer', perMinute: Number.POSITIVE_INFINITY }, { patience: 0 })
    const rest = [...fails]
    return {
      baseUrl: 'http://127.0.0.1',
      complete: (body, watch) =>
        retries.send(async () => {
          if (asked.length >= left) throw new NoAnswer('stopped', { isPassing: false })
          asked.push(JSON.stringify(body))
          const fault = rest.shift()
          if (fault === 'free') throw Object.assign(new Error('busy'), { status: 503 })
          if (fault === 'lost') throw new NoAnswer('cut')
          return answer(`${body.n}`)
        }, watch),
      count: async (body) => {
        asked.push(`count ${JSON.stringify(body)}`)
        return Number(body.n)
      },
    }
  }

  const plan = [0, 1, 2, 3].flatMap((n) => ['full', 'full again', 'policy'].map((asking) => ({ asking, body: { n } })))

  async function run(model: Model): Promise<string> {
    const journal = openJournal(path)
    const questions = new Questions(model, 'chat', journal)
    try {
      const results: unknown[] = []
      for (const { asking, body } of plan)
        results.push(await questions.answer('answer', asking, body), await questions.count(body))
      return JSON.stringify(results)
    } finally {
      journal.close()
    }
  }

  it('are asked once, however often a run is stopped, and end with the same result', async () => {
    const whole: string[] = []
    const result = await run(modelWith(whole))
    const bytes = readFileSync(path)
    expect(whole.length).toBe(plan.length + 4)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(6), { maxLength: 6 }),
        fc.array(fc.nat(90), { minLength: 6, maxLength: 6 }),
        async (stops, cuts) => {
          rmSync(path, { force: true })
          const asked: string[] = []
          for (const [at, stop] of stops.entries()) {
            await run(modelWith(asked, [], asked.length + stop)).catch(() => {})
            // What is written is on the disk, but for what the run was about to write when it was killed.
            const text = readFileSync(path)
            const last = text.lastIndexOf(10, text.length - 2) + 1
            writeFileSync(path, text.subarray(0, Math.max(last, text.length - (cuts[at] as number))))
          }
          expect(await run(modelWith(asked))).toBe(result)
          expect(asked.length).toBeLessThanOrEqual(whole.length + stops.length)
          const before = asked.length
          expect(await run(modelWith(asked))).toBe(result)
          expect(asked.length).toBe(before)
        },
      ),
      { numRuns: 15 },
    )
    rmSync(path)
    await run(modelWith([]))
    expect(readFileSync(path)).toEqual(bytes)
  })

  it('remember what may have been billed for nothing', async () => {
    const asked: string[] = []
    const faults = ['free', 'lost', null, null, 'lost', 'free', 'lost'] as const
    const seen = { started: 0, free: 0, lost: 0 }
    const journal = openJournal(path)
    const questions = new Questions(modelWith(asked, faults), 'chat', journal)
    const watch = {
      starts: () => void seen.started++,
      failed: (isFree: boolean) => void (isFree ? seen.free++ : seen.lost++),
    }
    for (const n of [1, 2, 3]) await questions.answer('answer', 'full', { n }, watch)
    expect(seen).toEqual({ started: 8, free: 2, lost: 3 })
    expect(journal.allLost).toBe(3)
    journal.close()
    expect(readEntries(path).allLost).toBe(3)
  })

  it('go nowhere where who pays says no', async () => {
    const asked: string[] = []
    const journal = openJournal(path)
    const starts = () => {
      throw new Error('no more dollars')
    }
    await expect(
      new Questions(modelWith(asked), 'chat', journal).answer('answer', 'full', {}, { starts }),
    ).rejects.toThrow('dollars')
    journal.close()
    expect(asked).toEqual([])
    expect(readEntries(path).allLost).toBe(0)
  })
})
