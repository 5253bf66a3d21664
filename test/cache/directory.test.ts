import { describe, expect, it } from 'vitest'
import { homeOf, userDirectory } from '../../src/base/user-directory.ts'
import { cacheDirectory, cachesOf } from '../../src/cache/directory.ts'

describe('the directory of what can be made again', () => {
  it.each([
    ['linux', { HOME: '/home/me' }, '/home/me/.cache/ctxwin'],
    ['linux', { HOME: '/home/me', XDG_CACHE_HOME: '/fast' }, '/fast/ctxwin'],
    ['linux', { HOME: '/home/me', CTXWIN_CACHE_DIR: '/mine' }, '/mine'],
    ['darwin', { HOME: '/Users/me' }, '/Users/me/Library/Caches/ctxwin'],
    ['win32', { LOCALAPPDATA: '/Local', HOME: '/home/me' }, '/Local/ctxwin/Cache'],
    ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local/ctxwin/Cache'],
    ['linux', {}, null],
    ['win32', {}, null],
  ] as const)('on %s with %o is %s', (platform, env, directory) => {
    expect(cacheDirectory(env, platform)).toBe(directory)
  })
})

describe('the directory of what the user has allowed', () => {
  it.each([
    ['linux', { HOME: '/home/me' }, '/home/me/.config/ctxwin'],
    ['linux', { HOME: '/home/me', XDG_CONFIG_HOME: '/etc/me' }, '/etc/me/ctxwin'],
    ['darwin', { HOME: '/Users/me' }, '/Users/me/Library/Application Support/ctxwin'],
    ['win32', { APPDATA: '/Roaming', HOME: '/home/me' }, '/Roaming/ctxwin'],
    ['linux', {}, null],
    ['win32', {}, null],
  ] as const)('lies on %s with %o in %s', (platform, env, directory) => {
    expect(userDirectory('config', env, platform)).toBe(directory)
  })
})

describe('a variable that leads into whatever checkout one stands in', () => {
  const whole = { HOME: '/home/me', USERPROFILE: '/home/me', LOCALAPPDATA: '/Local', APPDATA: '/Roaming' }
  const relative = ['.', '', 'home', './home', '../home', '~', '~/home', 'C:home', 'file:///home']
  const directories = (env: object, platform: NodeJS.Platform) => [
    cacheDirectory({ ...env }, platform),
    userDirectory('cache', { ...env }, platform),
    userDirectory('config', { ...env }, platform),
    homeOf({ ...env }, platform),
  ]

  it.each(['linux', 'darwin', 'win32'] as const)('counts for nothing on %s', (platform) => {
    for (const path of relative) {
      const own = { CTXWIN_CACHE_DIR: path, XDG_CACHE_HOME: path, XDG_CONFIG_HOME: path }
      expect(directories({ ...whole, ...own }, platform)).toEqual(directories(whole, platform))
      const all = Object.fromEntries(Object.keys({ ...whole, ...own }).map((name) => [name, path]))
      expect([path, ...directories(all, platform)]).toEqual([path, null, null, null, null])
    }
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
  expect(cachesOf(argv, { ...env, HOME: '/home/me' }) === null).toBe(nothing)
})
