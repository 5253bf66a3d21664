import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/clients/secrets.ts'
import { anyText } from '../any-text.ts'

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const drawn = (alphabet: string, minLength: number, maxLength = minLength + 20) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })
const exactly = (alphabet: string, length: number) => drawn(alphabet, length, length)
const letters = lower + upper + digits
const base64url = `${letters}-_`

/** A secret that must not survive, and what stands around it. */
interface Planted {
  readonly secret: string
  readonly text: string
}
const key = (prefix: string, rest: fc.Arbitrary<string>) =>
  rest.map((end): Planted => ({ secret: prefix + end, text: prefix + end }))
const around = (before: string, secret: fc.Arbitrary<string>, after: string) =>
  secret.map((value): Planted => ({ secret: value, text: before + value + after }))
const withDigit = (value: fc.Arbitrary<string>) => value.map((text) => `${text.slice(0, -2)}Q7`)

const pem = (lines: string[], newline: string, isClosed: boolean) =>
  ['-----BEGIN RSA PRIVATE KEY-----', ...lines, ...(isClosed ? ['-----END RSA PRIVATE KEY-----'] : [])].join(newline)

/** By kind, as the services write them. */
const planted: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  'anthropic key': key('sk-ant-api03-', drawn(base64url, 40)),
  'api key': fc.oneof(
    key('sk-', drawn(letters, 32)),
    key('sk-proj-', drawn(base64url, 40)),
    key('sk-or-v1-', exactly('0123456789abcdef', 64)),
    key('gsk_', exactly(letters, 52)),
  ),
  'aws key': fc.oneof(key('AKIA', exactly(upper + digits, 16)), key('ASIA', exactly(upper + digits, 16))),
  'github token': fc.oneof(
    ...['ghp_', 'gho_', 'ghs_'].map((prefix) => key(prefix, exactly(letters, 36))),
    key('github_pat_', drawn(`${letters}_`, 60)),
  ),
  'gitlab token': key('glpat-', drawn(base64url, 20)),
  'slack token': fc.oneof(key('xoxb-', drawn(`${letters}-`, 20)), key('xoxp-', drawn(`${letters}-`, 20))),
  'slack webhook': around('https://hooks.slack.com/services/', drawn(letters, 20), ''),
  'google key': key('AIza', exactly(base64url, 35)),
  'npm token': key('npm_', exactly(letters, 36)),
  'hugging face token': key('hf_', exactly(letters, 34)),
  'stripe key': fc.oneof(key('sk_live_', drawn(letters, 24)), key('rk_test_', drawn(letters, 24))),
  'sendgrid key': fc
    .tuple(exactly(base64url, 22), exactly(base64url, 43))
    .map(([one, two]) => ({ secret: `SG.${one}.${two}`, text: `SG.${one}.${two}` })),
  jwt: fc
    .tuple(drawn(base64url, 10), drawn(base64url, 10), drawn(base64url, 20))
    .map(([one, two, three]) => ({ secret: `eyJ${one}.eyJ${two}.${three}`, text: `eyJ${one}.eyJ${two}.${three}` })),
  'bearer token': fc.oneof(
    around('Authorization: Bearer ', withDigit(drawn(letters, 20)), ''),
    around("-H 'authorization: bearer ", withDigit(drawn(letters, 20)), "'"),
  ),
  authorization: around('Authorization: Basic ', drawn(letters, 12), '=='),
  password: fc.oneof(
    around('postgres://me:', withDigit(drawn(letters, 6)), '@db.example.org:5432/x'),
    around('https://:', withDigit(drawn(`${letters}!%@`, 6)), '@example.org'),
    around('DB_PASSWORD=', withDigit(drawn(`${letters}!#%`, 6)), ''),
    around('PASSWORD: ', withDigit(drawn(lower, 6)), '\n'),
    around('{"password": "', withDigit(drawn(`${letters}!#% `.replace(' ', ''), 6)), '"}'),
    around("password = '", withDigit(drawn(lower, 6)), "'"),
    around('password=', withDigit(drawn(letters, 6)), '&user=me'),
    around('--password ', withDigit(drawn(letters, 6)), ' --force'),
  ),
  'secret value': fc.oneof(
    around(
      'AWS_SECRET_ACCESS_KEY=',
      exactly(`${letters}+/`, 38).map((text) => `7${text}x`),
      '',
    ),
    around(
      '{"api_key": "',
      withDigit(drawn(`${digits}abcdef`, 30)).map((text) => `0${text}`),
      '"}',
    ),
    around(
      "clientSecret: '",
      withDigit(drawn(`${digits}abcdef`, 30)).map((text) => `0${text}`),
      "'",
    ),
  ),
  'private key': fc
    .tuple(
      fc.array(exactly(`${letters}+/`, 64), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\\n', '\n    12→', '\\n    12\\u2192', '\nid_rsa:3:', '\\n" +\n  "'),
      fc.boolean(),
    )
    .map(([lines, newline, isClosed]) => ({ secret: lines[0]!, text: pem(lines, newline, isClosed) })),
}

/** What a transcript has in front of a secret and behind it. */
const before = fc.constantFrom('', ' ', '\n', '\\n', '\\u2192', '"', '(', 'key: ', '\t', 'export X=', '🙂')
const behind = fc.constantFrom('', ' ', '\n', '\\n', '"', ')', ',', '\\"', '🙂')

describe.each(Object.entries(planted))('%s', (kind, arbitrary) => {
  it('does not survive, and is the same placeholder wherever it stands', () => {
    fc.assert(
      fc.property(arbitrary, before, behind, anyText({ maxLength: 20 }), (one, left, right, noise) => {
        const text = `${noise} ${left}${one.text}${right} ${noise}`
        const inJson = JSON.stringify({ command: text, more: [one.text] })
        const body = {
          messages: [{ role: 'user', content: text }, { arguments: inJson }],
          [one.text]: 1,
          other: { a: [noise] },
        }
        const secrets = new Secrets()
        const sent = secrets.replaceIn(body)
        expect(JSON.stringify(sent)).not.toContain(one.secret)
        expect(sent.messages[0]!.content).toContain('[secret: ')
        expect(() => JSON.parse(sent.messages[1]!.arguments!)).not.toThrow()
        expect(sent.other).toBe(body.other)
        expect(secrets.replaceIn(sent)).toBe(sent)
        expect(new Secrets().replaceIn(body)).toEqual(sent)
      }),
      { numRuns: 40 },
    )
  })

  it('is counted under its kind', () => {
    const [{ text }] = fc.sample(arbitrary, { numRuns: 1, seed: 1 }) as [Planted]
    const secrets = new Secrets()
    secrets.replaceIn([text, `${text} and ${text}`])
    expect(Object.keys(secrets.replaced)).toContain(kind)
  })
})

it('gives another secret another number', () => {
  const [one, other] = [`ghp_${'a'.repeat(36)}`, `ghp_${'b'.repeat(36)}`]
  const secrets = new Secrets()
  expect(secrets.replaceIn([`${one} ${other}`, other])).toEqual([
    '[secret: github token 1] [secret: github token 2]',
    '[secret: github token 2]',
  ])
  expect(secrets.replaceIn(other)).toBe('[secret: github token 2]')
  expect(secrets.replaced).toEqual({ 'github token': 2 })
})

it('leaves text without secrets as it is, and gives back the same object', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), anyText({ maxLength: 200 }), (value, text) => {
      const body = { value, text, list: [text, null, -0, 1.5, undefined] }
      expect(new Secrets().replaceIn(body)).toBe(body)
    }),
  )
})

it.each([
  'PWD=/home/me/project1',
  'const password = await askPassword()',
  'password: string',
  'password=args.password2',
  '{"password": "%(password)s", "token": "string"}',
  'if (password == other2) return',
  'max_tokens: 160000000000000000',
  'https://example.org:8080/@scope/name',
  'git@github.com:me/it.git and ssh://git@host:22/x',
  'postgres://user:password@localhost/test',
  'the task-management-of-2024-is-here and risk-free',
  'class="sk-estimator-doc-link sk-toggleable__label-arrow"',
  'the bearer of this certificate',
  'a.b.c eyJ0 eyJhbGciOiJIUzI1NiJ9',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  `token: user.profile.token, secretName: app-settings-2024`,
])('leaves %j', (text) => {
  expect(new Secrets().replaceIn(text)).toBe(text)
})

it('leaves the data of images', () => {
  const data = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251)).toString('base64')
  const glued = `${data}AKIAIOSFODNN7EXAMPLEAIza${data}`
  expect(new Secrets().replaceIn(glued)).toBe(glued)
})

it('goes as deep as a body does', () => {
  const depth = 30_000
  const secret = `ghp_${'a'.repeat(36)}`
  const deep = JSON.parse(`${'['.repeat(depth)}"${secret}"${']'.repeat(depth)}`)
  let inner = new Secrets().replaceIn({ deep }).deep
  while (Array.isArray(inner)) [inner] = inner
  expect(inner).toBe('[secret: github token 1]')
  const plain = { deep: JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) }
  expect(new Secrets().replaceIn(plain)).toBe(plain)
})

it('takes time in proportion to the text: what goes over it again and again does not end', () => {
  const size = 100_000
  const hostile = [
    ...[
      'eyJ',
      'eyJaaaaaaaa.',
      'sk-',
      'sk-ant-',
      '://',
      '://a:',
      '://a:b',
      'password',
      'password ',
      'password=',
      'token=',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      `-----BEGIN PRIVATE KEY-----${'A'.repeat(64)}`,
      '-----END ',
      'Bearer ',
      'bearer',
      '\\n',
    ],
    ...[
      'a',
      'A1',
      '=',
      '\\',
      '\\\\"',
      ' ',
      'authorization:',
      'AKIA',
      'AIza',
      'SG.aaaaaaaaaaaaaaaaaaaaaa.',
      "'",
      'xoxb-',
    ],
  ]
  for (const piece of hostile) {
    const text = piece.repeat(Math.ceil(size / piece.length))
    const secrets = new Secrets()
    expect(typeof secrets.replaceIn(`${text}\n-----END X`)).toBe('string')
    secrets.replaceIn(`"${text}'-----END PRIVATE KEY-----`)
  }
})
