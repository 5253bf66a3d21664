import { expect, it } from 'vitest'
import { openerOn } from '../../../src/cli/output/browser.ts'

it.each([
  ['linux', {}, 'xdg-open'],
  ['darwin', {}, 'open'],
  // Windows would take a program of this name out of the working directory.
  ['win32', {}, 'C:\\Windows\\explorer.exe'],
  ['win32', { SystemRoot: 'D:\\WINNT' }, 'D:\\WINNT\\explorer.exe'],
  ['win32', { SystemRoot: '.' }, 'C:\\Windows\\explorer.exe'],
  ['win32', { SystemRoot: '' }, 'C:\\Windows\\explorer.exe'],
] as const)('a page is shown on %s with %o by %s', (platform, env, opener) => {
  expect(openerOn(platform, env)).toBe(opener)
})
