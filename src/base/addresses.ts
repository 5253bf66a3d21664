/** Addresses of servers and databases, as they may be told. */

/** Who logs in: all of it, as a token stands in the place of the name, too. A path may have an `@`, and a port in front of it. */
const inWebAddress = /\b(https?:\/\/)(?:[^\s/?#]*|[^\s@/:[]*:(?!\d+(?:[/?#:\s]|$)).*)@/gi
/** The password alone. One that nobody has escaped may have any character. */
const inAddress = /\b((?!https?:)[a-z][\w+.-]*:\/\/[^\s:@/]*:).*@/gi

/** `bytesPerToken` is none. */
const names =
  '(?:[\\w-]*(?:password|passwd|passphrase|pwd|secret|signature|credentials?|(?:api|access)[-_]?key)|(?:[\\w-]*[-_]|access|auth|refresh|session)?token)'
/** A parameter of an address, or of the words by which libpq and others connect: `host=h password='it is'`. */
const parameter = new RegExp(
  `((?:\\b${names}|(?<=[?&;])(?:auth|code|key|pass|sig))\\s*=\\s*)(?:'(?:[^'\\\\]|\\\\.|'')*'?|"[^"]*"?|[^\\s&;'"][^\\s&;]*)`,
  'gi',
)

/** A text in which addresses have no password, no token and no key. */
export function withoutSecrets(text: string): string {
  return text.replace(inWebAddress, '$1***@').replace(inAddress, '$1***@').replace(parameter, '$1***')
}
