import { describe, expect, it } from 'vitest'
import { cacheDirectory, cachesNothing } from '../../src/cache/directory.ts'

describe('the directory of what can be made again', () => {
  it.each([
    ['linux', { HOME: '/home/me' }, '/home/me/.cache/ctxwin'],
    ['linux', { HOME: '/home/me', XDG_CACHE_HOME: '/fast' }, '/fast/ctxwin'],
    ['linux', { HOME: '/home/me', XDG_CACHE_HOME: 'relative' }, '/home/me/.cache/ctxwin'],
    ['linux', { HOME: '/home/me', CTXWIN_CACHE_DIR: '/mine' }, '/mine'],
    ['linux', { HOME: '/home/me', CTXWIN_CACHE_DIR: 'relative' }, '/home/me/.cache/ctxwin'],
    ['darwin', { HOME: '/Users/me' }, '/Users/me/Library/Caches/ctxwin'],
    ['win32', { LOCALAPPDATA: '/Local', HOME: '/home/me' }, '/Local/ctxwin/Cache'],
    ['linux', {}, null],
    ['win32', {}, null],
  ] as const)('on %s with %o is %s', (platform, env, directory) => {
    expect(cacheDirectory(env, platform)).toBe(directory)
  })
})

it.each([
  [[], {}, false],
  [['simulate', '--no-cache'], {}, true],
  [[], { CI: 'true' }, true],
  [[], { CI: '1' }, true],
  [[], { CI: 'false' }, false],
  [[], { CI: '' }, false],
] as const)('of a run with %o in %o, nothing is kept: %s', (argv, env, nothing) => {
  expect(cachesNothing(argv, env)).toBe(nothing)
})
