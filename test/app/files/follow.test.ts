import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FollowedFile } from '../../../src/app/files/follow.ts'
import { runningSession } from '../running.ts'

it('has each transcript once where a line that is being written is too long to go on from', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-follow-'))
  const path = join(directory, 'conversations.jsonl')
  // More records than it takes to recognise the format by.
  const conversations = readFileSync(new URL('../../../fixtures/sharegpt/calls.jsonl', import.meta.url), 'utf8').repeat(
    100,
  )
  writeFileSync(path, conversations)
  const options = {
    format: 'auto',
    column: null,
    branches: false,
    sizersFor: () => [],
    digestFor: () => null,
    keepMessages: false,
    longestLine: 10_000,
    largestDocument: 10_000,
  }
  const { traces } = await new FollowedFile(path, options).read()
  appendFileSync(path, `{"torn":"${'x'.repeat(50_000)}`)
  const after = await new FollowedFile(path, options).read()
  expect(after.traces.map(({ head }) => head)).toEqual(traces.map(({ head }) => head))
  rmSync(directory, { recursive: true })
})

it('does not read whole what it is only to go on with', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-follow-'))
  const path = join(directory, 'session.jsonl')
  const [first = '', ...more] = runningSession(Array.from({ length: 80 }, () => ({ result: 100 })))
  writeFileSync(path, first + more.slice(0, 70).join(''))
  const options = {
    ...{ format: 'auto', column: null, branches: false, keepMessages: false },
    ...{ sizersFor: () => [], digestFor: () => null },
  }
  const kept = new Map<string, Uint8Array>()
  const checkpoints = {
    find: (path: string) => kept.get(path) ?? null,
    keep: (path: string, _way: string, checkpoint: Uint8Array) => void kept.set(path, checkpoint),
  }
  const follow = (onlyGrown: boolean) => new FollowedFile(path, options, { checkpoints, way: '' }, onlyGrown).read()
  await expect(follow(true)).rejects.toThrow('there is no checkpoint to go on from')
  await follow(false)
  appendFileSync(path, more.slice(70).join(''))
  expect((await follow(true)).report).toEqual((await new FollowedFile(path, options).read()).report)
  // Another file, of the same name and as long.
  writeFileSync(path, `{"x":1,${first.slice(1)}${more.join('')}`)
  await expect(follow(true)).rejects.toThrow('there is no checkpoint to go on from')
  rmSync(directory, { recursive: true })
})
