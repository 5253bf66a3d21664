/** Addresses of servers and databases, as they may be told. Where one was taken for a path, it has lost a slash. */

/** Who logs in: all of it, as a token may be the name. A path may have an `@`, and a port in front of it. */
const inWebAddress = /\b(https?:\/\/?)(?:[^\s/?#]*|[^\s@/:[]*:(?!\d+(?:[/?#:\s]|$)).*)@/gi
/** The password alone. One that nobody has escaped may have any character. */
const inAddress = /\b((?!https?:)[a-z][\w+.-]{1,20}:\/\/?[^\s:@/]*:)(?!\*{3}@).*@/gi

/** `bytesPerToken` is none. */
const names =
  '(?:[\\w-]{0,40}(?:password|passwd|passphrase|pwd|secret|signature|credentials?|(?:api|access)[-_]?key)|(?:[\\w-]{0,40}[-_]|access|auth|refresh|session)?token)'
/** A parameter of an address, or of the words by which libpq and others connect: `host=h password='it is'`. */
const parameter = new RegExp(
  `((?:\\b${names}|(?<=[?&;])(?:auth|code|key|pass|sig))\\s*=\\s*)(?!\\*{3}(?:\\W|$))(?:'(?:[^'\\\\]|\\\\.|'')*'?|"[^"]*"?|[^\\s&;'"][^\\s&;]*)`,
  'gi',
)

/** A text in which addresses have no password, no token and no key. */
export function withoutSecrets(text: string): string {
  return text.replace(inWebAddress, '$1***@').replace(inAddress, '$1***@').replace(parameter, '$1***')
}

/** For JSON.stringify: texts in data, as they may be told. */
export const toldInJson = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? withoutSecrets(value) : value
