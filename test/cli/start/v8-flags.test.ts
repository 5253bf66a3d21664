import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { v8Flags } from '../../../src/cli/start/v8-flags.ts'

// Node refuses to start with a flag that it does not know; set while it runs, each would be a line on stderr.
it('are known to this Node', () => {
  expect(spawnSync(process.execPath, [...v8Flags(true), '--eval', '0'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})

it('are none for a version that nobody has measured', () => {
  expect(v8Flags(true, 27)).toEqual([])
  for (const major of [20, 22, 24, 26]) expect(v8Flags(false, major)).not.toEqual([])
})
