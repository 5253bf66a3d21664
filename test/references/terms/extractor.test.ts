import { expect, test } from 'vitest'
import { ReferenceDigest } from '../../../src/references/digest.ts'
import { extracted } from './extracted.ts'

const terms = (text: string, cwd?: string): string[] => extracted((extractor) => extractor.text(text), cwd)

test.each([
  [
    'a Node stack',
    'TypeError: x\n    at Object.<anonymous> (/app/src/auth.js:12:5)',
    ['error TypeError', 'path /app/src/auth.js'],
  ],
  ['node internals', 'at Module._compile (node:internal/modules/cjs/loader:1105:14)', []],
  ['an ES module stack', 'at file:///app/src/auth.js:12:5', ['path /app/src/auth.js']],
  [
    'a Python stack',
    'File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\njson.decoder.JSONDecodeError: x',
    ['path /usr/lib/python3.11/json/decoder.py', 'identifier raw_decode', 'error JSONDecodeError'],
  ],
  [
    'a Java stack',
    'java.lang.NullPointerException: x\n\tat com.acme.UserService.findUser(UserService.java:42)',
    ['error NullPointerException', 'identifier UserService', 'identifier findUser'],
  ],
  [
    'a Rust panic',
    "thread 'main' panicked at src/main.rs:4:5: x\nerror[E0382]: y\n --> src/lib.rs:7:9",
    ['path src/main.rs', 'error E0382', 'path src/lib.rs'],
  ],
  ['a Go stack', 'main.run(...)\n\t/home/u/go/src/app/main.go:12 +0x1d', ['path /home/u/go/src/app/main.go']],
  ['tsc', 'src/theme/theme.ts(5,15): error TS2305: Module', ['path src/theme/theme.ts', 'error TS2305']],
  [
    'errno',
    'ENOENT: no such file; ERROR, EMAIL and EXISTS are words; ERR_MODULE_NOT_FOUND',
    ['error ENOENT', 'error ERR_MODULE_NOT_FOUND'],
  ],
  ['an error alone', 'Error: it is an Exception and a Warning', []],
])('finds errors: %s', (_, text, expected) => {
  expect(terms(text)).toEqual(expected)
})

test.each([
  ['a position', 'see src/auth.ts:12:5, src/auth.ts:12 and src/auth.ts.', ['path src/auth.ts']],
  ['a diff', 'diff --git a/src/auth.ts b/src/auth.ts\n--- a/src/auth.ts\n+++ b/src/auth.ts', ['path src/auth.ts']],
  ['a new file', '--- /dev/null\n+++ b/src/new.ts', ['path src/new.ts']],
  ['./ and ../', './src/a.ts ../lib/b.ts', ['path src/a.ts', 'path ../lib/b.ts']],
  ['home', 'cat ~/.config/app', ['path ~/.config/app']],
  ['a folder', 'in /var/log/app/ and src/lib/', ['path /var/log/app']],
  ['no path', '</div> and/or 1/2 /help //comment a / b /foo/gi.test(x) total/items.map(f) application/json', []],
  ['globs and placeholders', 'src/**/*.ts {DIR}/src/a.ts [id]/page.tsx', []],
  ['Next.js', 'app/[id]/(main)/page.tsx', ['path app/[id]/(main)/page.tsx']],
  ['markdown', '[src/a.ts](src/a.ts) **src/b.ts**', ['path src/a.ts', 'path src/b.ts']],
  ['an assignment', '--config=src/a.json FILE=/etc/app/b', ['path src/a.json', 'path /etc/app/b']],
  ['an @mention', 'look at @src/auth.ts', ['path src/auth.ts']],
  [
    'lines around a match',
    '/app/src/a.go-42-func main\nsrc/b.go-43-\nsrc/b.go:44:x',
    ['path /app/src/a.go', 'path src/b.go'],
  ],
  ["a terminal's colours", '\x1b[33msrc/a.ts\x1b[0m:\x1b[1;32mfooBar', ['path src/a.ts', 'identifier fooBar']],
  ['Windows', 'C:\\work\\src\\auth.ts:12 and c:/work/src/auth.ts', ['path C:/work/src/auth.ts']],
  ['Windows in JSON', '{"p":"C:\\\\work\\\\a.ts\\nnext"}', ['path C:/work/a.ts']],
  ['JSON in text', '"src/a.ts\\nsrc/b.ts"', ['path src/a.ts', 'path src/b.ts']],
  [
    'Chinese',
    '在src/auth.ts里，以及/home/用户/项目/a.ts。参见docs/设计.md里的',
    ['path src/auth.ts', 'path /home/用户/项目/a.ts', 'path docs/设计.md'],
  ],
  ['Japanese', 'ファイルsrc/auth.tsを編集', ['path src/auth.ts']],
  ['Cyrillic', 'в файле src/модель.ts и /tmp/тест.py', ['path src/модель.ts', 'path /tmp/тест.py']],
  ['an emoji', '😀src/a.ts😀 docs/😀.md', ['path src/a.ts', 'path docs/😀.md']],
])('finds paths: %s', (_, text, expected) => {
  expect(terms(text)).toEqual(expected)
})

test('the working directory is cut off, and is no term', () => {
  const text = '/home/u/app /home/u/app/src/a.ts /home/u/app2/src/a.ts /home/u/app/package.json'
  expect(terms(text, '/home/u/app/')).toEqual(['path src/a.ts', 'path /home/u/app2/src/a.ts'])
  expect(terms('c:\\app\\src\\a.ts C:\\app', 'C:\\app')).toEqual(['path src/a.ts'])
})

test.each([
  [
    'punctuation',
    'See https://x.dev/a, (https://x.dev/b), <https://x.dev/c>; "https://x.dev/d". https://x.dev/',
    'a b c d',
  ],
  ['balanced brackets', 'https://x.dev/wiki/A_(b) (https://x.dev/wiki/A_(c))', 'wiki/A_(b) wiki/A_(c)'],
  ['markdown', '[x](https://x.dev/a) **https://x.dev/b** `https://x.dev/c` | https://x.dev/d|', 'a b c d'],
  ['Chinese', '见https://x.dev/a。和https://x.dev/b里', 'a b'],
  ['fragments', 'https://x.dev/a#top https://x.dev/a https://x.dev/#/route', 'a #/route'],
  ['a stack', 'at https://x.dev/a.js:12:5', 'a.js'],
])('finds URLs: %s', (_, text, expected) => {
  const found = terms(text).map((term) => term.replace('url https://x.dev', '').replace(/^\//, ''))
  expect(found.filter((term) => term !== '')).toEqual(expected.split(' '))
})

test('a port is part of a url, and a path inside a url is not a path', () => {
  expect(terms('http://localhost:3000/src/a.ts:1')).toEqual(['url http://localhost:3000/src/a.ts:1'])
})

test.each([
  [
    'a commit, whole and short',
    'commit 3f2a9c1d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b is 3f2a9c1 or 3f2a9c1d5',
    ['id 3f2a9c1'],
  ],
  ['a uuid', 'id=123E4567-e89b-12d3-a456-426614174000', ['id 123e4567-e89b-12d3-a456-426614174000']],
  ['a SHA-256', `sha256:${'a1'.repeat(32)}`, [`id ${'a1'.repeat(32)}`]],
  ['no id made up for an example', 'abc1234 bbb2222 a1b2c3d4e5f6 2b3c4d5 a1b2c3d', []],
  [
    'an id that looks like one',
    'a1b2d3e 1b2b3b4 abc9234 a1bc2d3',
    ['id a1b2d3e', 'id 1b2b3b4', 'id abc9234', 'id a1bc2d3'],
  ],
  ['no hash', 'deadbeef 1234567 abc123 0x7ffee1d g3f2a9c1', ['number 1234567']],
])('finds ids: %s', (_, text, expected) => {
  expect(terms(text)).toEqual(expected)
})

test.each([
  ['cases', 'foo_bar fooBar FooBar FOO_BAR HTTPServer', ['foo_bar', 'fooBar', 'FooBar', 'FOO_BAR', 'HTTPServer']],
  ['not these', 'foo Foo FOO a_b fooB URLs __init__ 1_000_000 GitHub 2fa_code', []],
  [
    'back-ticks',
    '`timeout` `getUser()` `--no-cache` `a` `...` `two words` ``double`` ```fence```',
    ['timeout', 'getUser', '--no-cache'],
  ],
  ['in back-ticks, its own terms come first', '`config.maxTokens` `user.name`', ['maxTokens', 'user.name']],
  ['beside Chinese', '调用createExtractor函数', ['createExtractor']],
])('finds identifiers: %s', (_, text, expected) => {
  expect(terms(text)).toEqual(expected.map((key) => `identifier ${key}`))
})

test.each([
  ['#42 #7 &#39; owner/repo#123', ['#42', '#123']],
  ['1.2.3 v1.2.3 1.2 127.0.0.1 1.2.3-beta', ['1.2.3', '127.0.0.1']],
  ['31337 1234 3.14159265 12345.6 100644 2024-01-02', ['31337']],
])('finds numbers: %s', (text, expected) => {
  expect(terms(text)).toEqual(expected.map((key) => `number ${key}`))
})

test('what the harness wrote is no term', () => {
  const text =
    '<system-reminder>\nsrc/a.ts</system-reminder> src/b.ts <environment_context>\n<cwd>/home/u/x</cwd>\n</environment_context>'
  expect(terms(text)).toEqual(['path src/b.ts'])
  expect(terms('<system-reminder> src/a.ts')).toEqual(['path src/a.ts'])
})

test('the stop-list: files of every project are no terms', () => {
  expect(terms('./package.json packages/x/package.json foo_bar')).toEqual([
    'path packages/x/package.json',
    'identifier foo_bar',
  ])
})

test('a term counts once a message', () => {
  const digest = new ReferenceDigest({ cwd: null })
  const text = { type: 'text', text: 'src/a.ts src/a.ts' } as const
  const call = { type: 'call', id: '1', name: 'see', input: { file_path: 'src/a.ts' } } as const
  digest.add({ role: 'assistant', blocks: [text, call], line: 1 })
  digest.add({ role: 'user', blocks: [text], line: 2 })
  expect(digest.keys).toEqual(['src/a.ts'])
  expect([digest.start(0), digest.start(1), digest.start(2)]).toEqual([0, 1, 2])
})

test('json gives values at any depth, never keys', () => {
  const value = JSON.parse(
    '{"__proto__":{"max_tokens":"foo_bar"},"some_key":[{"file_path":"Makefile"},12345,null,true]}',
  )
  expect(extracted((extractor) => extractor.json(value))).toEqual([
    'identifier foo_bar',
    'path Makefile',
    'number 12345',
  ])
  expect(extracted((extractor) => extractor.json({ path: 'https://x.dev/a', file: 'a\nb', cwd: '.' }))).toEqual([
    'url https://x.dev/a',
  ])
})

test('json is read deeper than the call stack', () => {
  let value: unknown = 'src/a.ts'
  for (let depth = 0; depth < 200_000; depth++) value = [value]
  expect(extracted((extractor) => extractor.json(value))).toEqual(['path src/a.ts'])
})

test('calls: a query is a term of its own, a file is its path', () => {
  const found = extracted((extractor) => {
    extractor.call('Grep', { pattern: 'foo', path: 'src' })
    extractor.call('Read', '{"file_path":"src/a.ts","limit":20}')
    extractor.call('exec_command', { cmd: "sed -n '1,80p' Makefile" })
    extractor.call('Bash', 7)
  })
  expect(found).toEqual(['path src', 'target foo in src', 'path src/a.ts', 'path Makefile'])
})
