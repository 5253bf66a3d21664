import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../src/base/addresses.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import { addresses, secret } from '../addresses.ts'

describe('an address', () => {
  it.each(addresses)('is told without its secret: %s', (address) => {
    for (const text of [address, `--to: "${address}" is no store`]) {
      expect(withoutSecrets(text)).not.toContain(secret)
      expect(withoutSecrets(withoutSecrets(text))).toBe(withoutSecrets(text))
    }
    expect(new CtxwinError('bad-value', '--to', address, 'a store').message).not.toContain(secret)
    expect(new CtxwinError('bad-value', '--to', [address], 'a store').message).not.toContain(secret)
    expect(JSON.stringify(new CtxwinError('unwritable', address, 'no'))).not.toContain(secret)
  })

  it('is told once, and what stands behind it stays', () => {
    const { message } = new CtxwinError('bad-value', '--to', 'mysql://bob:s3cr3tpw@h/db', 'one of postgres://USER@HOST')
    expect(message).toBe('--to: "mysql://bob:***@h/db" is not one of postgres://USER@HOST')
    expect(withoutSecrets(message)).toBe(message)
  })

  it('keeps what is no secret', () => {
    expect(withoutSecrets('mysql://bob:s3cr3tpw@h:1/db?ssl=1')).toBe('mysql://bob:***@h:1/db?ssl=1')
    expect(withoutSecrets('https://bob:s3cr3tpw@h/v1?key=a&b=c')).toBe('https://***@h/v1?key=***&b=c')
    expect(withoutSecrets("host=h password='a b' dbname=x")).toBe('host=h password=*** dbname=x')
    const others = [
      'postgres://USER@HOST/DATABASE',
      'https://registry.npmjs.org/@anthropic-ai/sdk',
      'http://localhost:8080/@scope/a?b=c',
      'http://127.0.0.1:11434',
      'bytes:bytesPerToken=3.6',
      '--policy knobs:trigger=over,keepTokens=9 --budget 100k',
      'mcp__tokens__count: 3 tokens',
      'fixtures/a@b:c.jsonl',
      'C:\\a\\b',
      '`exactTokens` = 1',
    ]
    expect(others.map(withoutSecrets)).toEqual(others)
  })

  it('has no password, whatever that is made of', () => {
    const password = fc.string({ minLength: 1 }).map((text) => `${text}${secret}${text}`)
    fc.assert(
      fc.property(password, (word) => {
        expect(withoutSecrets(`mysql://bob:${word}@h/db`)).not.toContain(secret)
        expect(withoutSecrets(`https://bob:${encodeURIComponent(word)}@h/db`)).not.toContain(secret)
        expect(withoutSecrets(`https://h/?a=b&password=${encodeURIComponent(word)}&c=d`)).not.toContain(secret)
        const quoted = word.replaceAll(/[\\']/g, '\\$&')
        expect(withoutSecrets(`host=h password='${quoted}' dbname=x`)).toMatch(/^host=h password=\*\*\* dbname=x$/)
      }),
    )
  })
})
