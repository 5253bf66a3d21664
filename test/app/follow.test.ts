import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FollowedFile } from '../../src/app/follow.ts'

it('has each transcript once where a line that is being written is too long to go on from', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-follow-'))
  const path = join(directory, 'conversations.jsonl')
  // More records than it takes to recognise the format by.
  const conversations = readFileSync(new URL('../../fixtures/sharegpt/calls.jsonl', import.meta.url), 'utf8').repeat(
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
