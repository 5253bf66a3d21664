/**
 * How secrets look. The forms of keys are those that the services document or that GitHub's secret scanning names. A pattern has two
 * groups: what stays in front of the secret, and the secret. None can go back over an unbounded text: what may be long is a class
 * of characters that is taken whole, or begins where no such character is before it.
 */

export interface SecretKind {
  /** As a placeholder says it. */
  readonly kind: string
  readonly pattern: RegExp
  /** Whether what the pattern finds is one. Default: it always is. */
  readonly isOne?: (secret: string, before: string) => boolean
}

/** The letters of an escape in JSON text, such as `\n`, are no part of a word. */
const noEscape = /(?<!\\(?:[nrt]|u[0-9a-fA-F]{4}))/.source
/** No letter or digit is in front. */
const start = `(?<![A-Za-z0-9]${noEscape})`
/** The same for tokens that may have dashes in them. */
const wordStart = `(?<![\\w-]${noEscape})`
const end = '(?![A-Za-z0-9_-])'
/** A quotation mark as it is, or escaped in JSON text. */
const quote = /\\{0,3}["']/.source
const blanks = '[ \\t]{0,4}'
/** Is, as code, configuration and query strings write it. */
const is = `${blanks}[:=]${blanks}`

const key = (pattern: string): RegExp => new RegExp(`()(${pattern})`, 'g')

const hasDigit = (secret: string): boolean => /\d/.test(secret)
const hasBoth = (secret: string): boolean => hasDigit(secret) && /[A-Za-z]/.test(secret)

/** What stands where a password would, and is none. */
const isWord = (value: string): boolean =>
  /^(?:string|str|text|varchar|bool|boolean|any|password|passwd|passphrase|secret|token|required|optional|hidden|invalid|true|false|null|none|nil|undefined|redacted|masked|\*+|x+|\.+|[$%{<[].*)$/i.test(
    value,
  )

/** Words joined by dashes or underlines: a name, not a secret. */
const isName = (value: string): boolean => /^[a-z]+(?:[-_][a-z]+)*(?:[-_]?\d{1,4})?$/i.test(value)

/** Not `pwd`: that is where a shell stands. */
const password = 'pass(?:word|wd|phrase)'
const secretName = '(?:secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)'
/** Up to the next parameter of a query string. */
const bare = /(?:(?!&\w{1,40}=)[^\s"'\\,;(){}[\]<>$\x60]){4,200}/.source

export const kinds: readonly SecretKind[] = [
  { kind: 'anthropic key', pattern: key('sk-ant-[A-Za-z0-9_-]{16,}') },
  {
    kind: 'api key',
    pattern: key(
      `${start}(?:sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,})`,
    ),
  },
  { kind: 'aws key', pattern: key(`${start}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${end}`) },
  { kind: 'github token', pattern: key('gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}') },
  { kind: 'gitlab token', pattern: key('gl(?:pat|dt|rt|ft|ptt|cbt|agent|soat|imt|oas)-[A-Za-z0-9_-]{20,}') },
  { kind: 'slack token', pattern: key('xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,}') },
  {
    kind: 'slack webhook',
    pattern: /(https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{20,})/g,
  },
  {
    kind: 'google key',
    pattern: key(`${start}(?:AIza[A-Za-z0-9_-]{35}${end}|ya29\\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})`),
  },
  { kind: 'npm token', pattern: key(`${start}npm_[A-Za-z0-9]{36}${end}`) },
  { kind: 'pypi token', pattern: key('pypi-AgE[A-Za-z0-9_-]{50,}') },
  { kind: 'hugging face token', pattern: key(`${start}hf_[A-Za-z0-9]{30,}${end}`) },
  { kind: 'stripe key', pattern: key(`${start}(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})`) },
  { kind: 'sendgrid key', pattern: key(`${start}SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}`) },
  { kind: 'jwt', pattern: key(`${wordStart}eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*`) },
  { kind: 'bearer token', pattern: /(bearer {1,4})([A-Za-z0-9._~+/-]{16,}=*)/gi, isOne: hasDigit },
  {
    kind: 'authorization',
    pattern: new RegExp(
      `(authorization(?:${quote})?${is}(?:${quote})?(?:basic|token) {1,4})([A-Za-z0-9._~+/-]{8,}=*)`,
      'gi',
    ),
  },
  {
    kind: 'password',
    pattern: /(:\/\/[^\s/:@"'<>\\`]{0,100}:)([^\s/"'<>\\`]{1,200})(?=@)/g,
    isOne: (secret) => !isWord(secret),
  },
  {
    kind: 'password',
    pattern: new RegExp(`(${password}(?:${quote})?${is}${quote})([^\\s"'\\\\]{4,200})(?=${quote})`, 'gi'),
    isOne: (secret) => !isWord(secret),
  },
  {
    kind: 'password',
    pattern: new RegExp(`(${password}${is}|--${password} {1,4})(${bare})`, 'gi'),
    // `PASSWORD=` is a setting, and what follows a value. In lower case it may be code, where names are plain words.
    isOne: (secret, before) =>
      !isWord(secret) &&
      !secret.startsWith('=') &&
      (/^[A-Z]+[ \t]*[:=]/.test(before) || (hasBoth(secret) && !secret.includes('.'))),
  },
  {
    kind: 'secret value',
    pattern: new RegExp(`(${secretName}(?:${quote})?${is}(?:${quote})?)([A-Za-z0-9+/_=-]{16,200})`, 'gi'),
    isOne: (secret) => hasBoth(secret) && !isName(secret),
  },
]

const begin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const ending = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
/** In characters: no private key is longer. */
const longest = 16_384
/** In characters: between two lines of a key there may be numbers of lines and names of files. */
const gap = 200

/**
 * Private keys in PEM blocks, with whatever a tool put in front of each line. Where the end is missing, as in an output that was cut, or
 * the lines are strings of a program, the lines are replaced one by one.
 * @returns the same string where there is none
 */
export function findPrivateKeys(text: string, put: (secret: string) => string): string {
  let result = ''
  let at = 0
  const nextEnd = ahead(text, /-----END /g)
  const nextQuote = ahead(text, /["']/g)
  for (let found = firstFrom(begin, text, 0); found; found = firstFrom(begin, text, at)) {
    const body = found.index + found[0].length
    const end = nextEnd(body)
    ending.lastIndex = end
    if (end - body <= longest && nextQuote(body) > end && ending.test(text)) {
      result += text.slice(at, found.index) + put(text.slice(found.index, ending.lastIndex))
      at = ending.lastIndex
    } else {
      const stop = lastLine(text, body, Math.min(end, body + longest))
      result += text.slice(at, body) + text.slice(body, stop).replace(line, put)
      at = stop
    }
  }
  return at === 0 ? text : result + text.slice(at)
}

/** Not with the letters of an escape in JSON text that is in front of it. */
const line = /(?<!\\(?:u[0-9a-fA-F]{0,3})?)[A-Za-z0-9+/=]{24,}/g

/** Where the last line of base64 ends that begins less than a gap behind the one before it. */
function lastLine(text: string, from: number, limit: number): number {
  let end = from
  for (;;) {
    const start = text.slice(end, Math.min(limit, end + gap + 24)).search(line)
    if (start < 0) return end
    const found = firstFrom(line, text, end + start)!
    end = Math.min(limit, found.index + found[0].length)
  }
}

function firstFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}

/** Where a pattern is next, for places that only go up, so that nothing is looked through twice; Infinity where it is no more. */
function ahead(text: string, pattern: RegExp): (from: number) => number {
  let next = -1
  return (from) => {
    if (next < from) next = firstFrom(pattern, text, from)?.index ?? Number.POSITIVE_INFINITY
    return next
  }
}
