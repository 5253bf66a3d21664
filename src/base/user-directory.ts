/**
 * Where the user's own files are, by what the environment says. What stands there is believed, run and removed. So a relative path counts
 * for nothing, as the XDG Base Directory Specification has it: it would lead into whatever checkout one stands in.
 */
import { join, parse, posix, win32 } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The first of these variables with a whole path; null where there is none. */
function pathIn(env: Environment, names: readonly string[], platform: NodeJS.Platform): string | null {
  const { isAbsolute } = platform === 'win32' ? win32 : posix
  return names.map((name) => env[name]).find((path) => path !== undefined && isAbsolute(path)) ?? null
}

/** Where programs are started that look around: not where the user stands, which may be anybody's checkout. */
export const homeOrRoot = (env: Environment): string => homeOf(env) ?? parse(process.execPath).root

export function homeOf(env: Environment, platform: NodeJS.Platform = process.platform): string | null {
  return pathIn(env, ['HOME', 'USERPROFILE'], platform)
}

const places = {
  cache: { own: 'XDG_CACHE_HOME', win32: ['LOCALAPPDATA', 'ctxwin/Cache'], darwin: 'Library/Caches', usual: '.cache' },
  config: {
    own: 'XDG_CONFIG_HOME',
    win32: ['APPDATA', 'ctxwin'],
    darwin: 'Library/Application Support',
    usual: '.config',
  },
} as const

/** The directory of ctxwin among the user's caches or settings, as XDG, macOS and Windows have it; null where none is known. */
export function userDirectory(
  kind: keyof typeof places,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const { own, usual, darwin, ...place } = places[kind]
  const given = pathIn(env, [own], platform)
  if (given !== null) return join(given, 'ctxwin')
  const [variable, below] =
    platform === 'win32' ? place.win32 : (['HOME', join(platform === 'darwin' ? darwin : usual, 'ctxwin')] as const)
  const top = pathIn(env, [variable], platform)
  return top === null ? null : join(top, below)
}
