/** What is written where something interprets it is one word there: each language reads it itself. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { lexer, type Token, type Tokens } from 'marked'
import sqlite from 'node-sqlite3-wasm'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import * as quoting from '../../src/base/quoting.ts'
import {
  copyText,
  javascriptString,
  jsonString,
  markdownCode,
  markdownRow,
  markdownText,
  pythonComment,
  pythonString,
  safe,
  safeJson,
  safeScreen,
  scriptJson,
  shellCommand,
  shellWord,
  sqlName,
  uriPart,
  workflowData,
  workflowProperty,
  xml,
} from '../../src/base/quoting.ts'
import { csvLines } from '../../src/reports/csv.ts'
import { anyText } from '../any-text.ts'
import { hostileWords, logCommands } from '../hostile-words.ts'
import { javascriptCode } from '../javascript-code.ts'
import { hasPython, pythonCode } from '../python-code.ts'

/** Any text, and what is made of pieces that mean something somewhere. */
const anyWord = fc.oneof(
  anyText(),
  fc.array(fc.constantFrom(...hostileWords, ...'\'"`\\#:|[]<>&$%!;\n\r\t\0 ')).map((pieces) => pieces.join('')),
)
const drawn = fc.sample(anyWord, { numRuns: 150, seed: 7 })
const words = [...hostileWords, ...drawn]

const hasBash = spawnSync('bash', ['-c', ':']).status === 0

describe('a string', () => {
  it('of JSON', () => {
    expect(words.map((word) => JSON.parse(jsonString(word)))).toEqual(words)
    expect(words.map((word) => JSON.parse(safeJson(JSON.stringify({ [word]: [word] }))))).toEqual(
      words.map((word) => ({ [word]: [word] })),
    )
  })

  it('of JavaScript', () => {
    const { shape } = javascriptCode("x('plain')")
    for (const word of words) {
      expect(javascriptCode(`x(${javascriptString(word)})`)).toEqual({ shape, words: [word] })
    }
  })

  it.skipIf(!hasPython)('of Python (needs python3)', () => {
    const [plain, ...others] = pythonCode(["x('plain')", ...words.map((word) => `x(${pythonString(word)})`)])
    expect(others).toEqual(words.map((word) => ({ shape: plain?.shape, words: [word] })))
  })
})

it.skipIf(!hasPython)('a comment of Python is one, in whatever line, and says nothing of how a file is encoded', () => {
  const body = 'x = "é"'
  const files = ['', '\n', '\n\n'].flatMap((before) => words.map((word) => `${before}${pythonComment(word)}\n${body}`))
  const [code, ...others] = pythonCode([body, ...files])
  expect(others).toEqual(files.map(() => code))
})

describe('a word of a shell', () => {
  /** No system passes a NUL, and none of these shells has half of a surrogate pair. */
  const passed = words.filter((word) => !/[\0\p{Cs}]/u.test(word))

  it.skipIf(!hasBash)('is that word in bash', () => {
    const script = `printf '%s\\0' ${passed.map(shellWord).join(' ')}`
    const said = execFileSync('bash', ['-c', script], { env: { ...process.env, LC_ALL: 'C.UTF-8' }, encoding: 'utf8' })
    expect(said.split('\0').slice(0, -1)).toEqual(passed)
  })

  // These shells are not asked. What is allowed here is what stands in their manuals.
  it('has nothing that PowerShell, cmd.exe or fish takes for the end of a string, or for a command', () => {
    for (const word of words.map(shellWord)) {
      expect(word).toMatch(/^(?:[\w./%+-][\w@./%+=:,-]*|\$?'(?:[^\p{Cc}'"‘’‚‛<>&|^]*[^\p{Cc}'"‘’‚‛<>&|^\\])?')$/u)
    }
  })

  it('is as it was where no shell has any use for it', () => {
    const plain = ['drop-oldest:target=0.5,keepLast=2', '~/.claude', '50%', './-a', 'C:\\a\\b', 'it is', '']
    expect(plain.map(shellWord)).toEqual([plain[0], "'~/.claude'", '50%', './-a', "'C:\\a\\b'", "'it is'", "''"])
  })
})

it('the name of a column is one in SQLite', () => {
  const database = new sqlite.Database(':memory:')
  // SQLite ends a statement at a NUL, and has no half of a surrogate pair.
  for (const word of words.filter((word) => word !== '' && !/[\0\p{Cs}]/u.test(word))) {
    database.exec(`CREATE TABLE t (${sqlName(word)} TEXT)`)
    expect(database.all("SELECT name FROM pragma_table_info('t')")).toEqual([{ name: word }])
    database.exec('DROP TABLE t')
  }
  database.close()
})

it('a value of COPY is one, as PostgreSQL reads it', () => {
  const read: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' }
  for (const word of words) {
    expect(copyText(word)).not.toMatch(/[\t\r\n]/)
    expect(copyText(word).replace(/\\(.)/g, (_, character: string) => read[character] as string)).toBe(word)
  }
})

it('a part of a URI is one, and no other part', () => {
  for (const word of words) {
    expect(uriPart(word)).not.toMatch(/[/?#:@&\s]/)
    expect(decodeURIComponent(uriPart(word))).toBe(word.replaceAll(/\p{Cs}/gu, '\ufffd'))
  }
})

it('is text or an attribute of XML', async () => {
  const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="all"><xs:complexType><xs:sequence>
    <xs:element name="w" minOccurs="${words.length}" maxOccurs="${words.length}"><xs:complexType><xs:simpleContent>
    <xs:extension base="xs:string"><xs:attribute name="a" type="xs:string" use="required"/><xs:attribute name="b" type="xs:string" use="required"/></xs:extension>
    </xs:simpleContent></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>`
  const elements = words.map((word) => `<w a="${xml(word)}" b='${xml(word)}'>${xml(word)}</w>`)
  const { errors } = await validateXML({ xml: `<all>${elements.join('')}</all>`, schema })
  expect(errors).toEqual([])
})

it('data in a page neither ends its element nor begins a comment', () => {
  for (const word of words) {
    const text = scriptJson({ [word]: word })
    expect(text).not.toContain('<')
    expect(JSON.parse(text)).toEqual({ [word]: word })
  }
})

describe('Markdown', () => {
  /** The texts of its tokens: paragraphs, rows and lists are what is put there on purpose. */
  const leavesOf = (markdown: string): string[] => {
    const leaves: string[] = []
    const walk = (token: Token): void => {
      const inner: Token[] = 'tokens' in token && token.tokens ? token.tokens : token.type === 'list' ? token.items : []
      for (const one of inner) walk(one)
      if (token.type === 'table')
        for (const cell of [...(token as Tokens.Table).header, ...(token as Tokens.Table).rows.flat()])
          leaves.push(cell.tokens.map((one) => textOf(one)).join(''))
      else if (inner.length === 0 && token.type !== 'space') leaves.push(textOf(token))
    }
    for (const token of lexer(markdown)) walk(token)
    return leaves
  }
  const textOf = (token: Token): string =>
    token.type === 'codespan' || token.type === 'text' ? (token as Tokens.Text).text : `<${token.type}>`
  it('has a word as text or as code, in a paragraph, a list and a row', () => {
    for (const word of words.filter((word) => word !== '')) {
      const text = markdownText(word)
      expect(leavesOf(`${text}\n\n`), word).toEqual([safe(word)])
      expect(leavesOf(`- ${text}\n  - ${text}\n`), word).toEqual([safe(word), safe(word)])
      expect(leavesOf(`- ${markdownCode(word)}\n`), word).toEqual([safe(word)])
      const cells = [text, markdownCode(word), 'b']
      const table = [['x', 'y', 'z'], ['---', '---', '---'], cells].map(markdownRow).join('')
      const found = leavesOf(table).map((cell) => cell.replaceAll('\\x5c|', '\\|'))
      expect(found.length, word).toBe(6)
      expect(found.slice(3), word).toEqual([safe(word), safe(word), 'b'])
    }
  })
})

it('a command of a GitHub workflow is one line, and what stands in it comes back', () => {
  const data = (text: string) => text.replaceAll('%0A', '\n').replaceAll('%25', '%')
  const property = (text: string) => data(text.replaceAll('%3A', ':').replaceAll('%2C', ','))
  for (const word of words) {
    const line = `::error file=${workflowProperty(word)},title=${workflowProperty(word)}::${workflowData([word, word])}`
    const [, file = '', title = '', text = ''] = /^::error file=([^,:]*),title=([^,:]*)::([^\r\n]*)$/.exec(line) ?? []
    expect([property(file), property(title)]).toEqual([safe(word), safe(word)])
    expect(data(text)).toBe(`${safe(word)}\n${safe(word)}`)
  }
})

describe('CSV', () => {
  it('has a word in one cell, which is no formula, whichever character parts the cells', () => {
    const formula = /^[=+\-@\t\r＝＋－＠]/
    for (const word of words) {
      const line = csvLines([['b', word, 'b']])
      const [, quoted, plain] = /^b,(?:"((?:[^"]|"")*)"|([^",\n]*)),b\n$/.exec(line) ?? []
      const cell = quoted?.replaceAll('""', '"') ?? plain ?? '\n'
      expect(cell.replace(/^'|(?<=;)'/g, '')).toBe(safe(word).replace(/^'|(?<=;)'/g, ''))
      expect([cell, ...cell.split(';'), ...line.split(';')].filter((part) => formula.test(part))).toEqual([])
    }
  })
})

describe('the log of a CI runner', () => {
  it('takes nothing for a command', () => {
    for (const word of words) {
      const lines = [
        ...[safe(word), jsonString(word), javascriptString(word), pythonString(word), pythonComment(word)],
        ...[
          shellCommand(['ctxwin', word, word]),
          markdownText(word),
          markdownCode(word),
          csvLines([[word]]),
          xml(word),
        ],
        safeScreen(JSON.stringify([word], null, 2)),
      ]
      expect(lines.flatMap((text) => logCommands(text))).toEqual([])
      // What was made harmless stays as it is: a command line that a person copies passes the guard of the screen, too.
      expect(safe(shellCommand([word]))).toBe(shellCommand([word]))
    }
  })

  it('keeps what JSON says', () => {
    for (const word of words) expect(JSON.parse(safeScreen(JSON.stringify(word)))).toBe(word)
  })
})

describe('the functions', () => {
  it('are tried above, each of them', () => {
    const source = readFileSync(import.meta.filename, 'utf8')
    // A path for a command line is one still: the laws of what is pasted and of addresses have it.
    const untried = Object.keys(quoting).filter((name) => name !== 'pathWord' && !source.includes(` ${name},\n`))
    expect(untried).toEqual([])
  })

  it('are the only way into a command line: what else stands behind a flag or a command is no word of anybody', () => {
    const folder = join(import.meta.dirname, '../../src')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const byHand = files.flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return [...text.matchAll(/(ctxwin [a-z]+|(?<![\w-])--[a-z][\w-]*) \$\{(?!shell)([\w.[\]]+)/g)]
    })
    expect(byHand.map(([, before, value]) => `${before} ${value}`).sort()).toEqual([
      '--api asked',
      '--by name',
      '--max-chat-history-tokens tokens',
      'ctxwin help [...page.linked].join',
      'ctxwin help word',
      'ctxwin list what',
      'ctxwin list where',
    ])
  })
})
