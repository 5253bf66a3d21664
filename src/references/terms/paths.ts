/** Makes the key that all spellings of a path share. */

const longest = 512 // longer than any real one; it also keeps the small regexes below cheap

/**
 * The key of a file, the same for all its spellings: `\` becomes `/`, and `./`, `:line[:col]`, a diff's `a/` and `b/`,
 * the `@` of a mention and the working directory are removed. Null if nothing is left, or only the working directory.
 * @param cwd as returned by `normalCwd`
 */
export function pathKey(path: string, cwd: string): string | null {
  if (path.length > longest) return null
  let key = path
  if (key.includes('\\')) key = key.replace(/\\+/g, '/')
  if (key.includes('//')) key = key.replace(/\/{2,}/g, '/')
  if (key.includes(':'))
    key = key.replace(/(?::\d+){1,2}$/, '').replace(/^[a-z](?=:\/)/, (letter) => letter.toUpperCase())
  if (!/^[A-Za-z]/.test(key)) key = key.replace(/^[+-]*(?:@(?!\/))?(?:\.\/)*/, '')
  if (key.charAt(1) === '/' && key.length > 2 && (key.charAt(0) === 'a' || key.charAt(0) === 'b')) key = key.slice(2)
  if (key.length > 1 && key.endsWith('/')) key = key.slice(0, -1)
  if (cwd !== '') {
    if (key === cwd) return null
    if (key.startsWith(cwd) && key.charAt(cwd.length) === '/') key = key.slice(cwd.length + 1)
  }
  return key === '' || key === '.' || key === '/' ? null : key
}

export const normalCwd = (cwd: string | undefined): string => (cwd === undefined ? '' : (pathKey(cwd, '') ?? ''))
