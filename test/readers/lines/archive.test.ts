import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { openArchive } from '../../../src/readers/lines/archive.ts'
import { figuresIn, writeHostileArchives } from '../../cli/hostile-archives.ts'
import { runCli } from '../../cli/run.ts'
import { fixtureText, readSource } from '../reading.ts'
import { type Packed, zip } from './zip.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-archive-'))
afterAll(() => rmSync(directory, { recursive: true }))

const hello = 'Hello, hello, hello, hello, hello, hello'
const chat = Buffer.from(
  `{"messages":[{"role":"user","content":"${hello}"},{"role":"assistant","content":"${hello}"}]}\n`,
)
/** The same, as `zstd -19` packs it: not every Node that runs the tests can. */
const chatZstd = Buffer.from(
  'KLUv/SSeFQIA4gMNEaDtBayY2sFXm+uCYJyAED8CYJp1Z7/+I6ZVEI8xJR5ep+sesjDURw8re9CyDF/T+bVZBgMAbOIcJGjjwksZQ16ivA==',
  'base64',
)

function archive(name: string, files: readonly Packed[], mangle = (bytes: Buffer) => bytes): string {
  const path = join(directory, name)
  writeFileSync(path, mangle(zip(files)))
  return path
}

/** The transcripts that were read, standard error and the exit code. */
async function run(...words: string[]) {
  const { code, stdout, stderr } = await runCli(['simulate', ...words, '--output', 'json'], { cwd: directory })
  const runs: { transcript: string }[] = stdout === '' ? [] : JSON.parse(stdout).runs
  return { code, stderr, read: runs.map(({ transcript }) => transcript) }
}

describe('an archive whose names lead elsewhere', () => {
  const cwd = join(directory, 'hostile', 'here')
  const simulated = (...words: string[]) => runCli(['simulate', ...words, '-e', 'bytes', '-O', 'json'], { cwd })

  it('has its own files read, whatever lies where the names lead', async () => {
    const { lengths, nested } = writeHostileArchives(cwd)
    const plain = figuresIn((await simulated('plain')).stdout)
    const expected = (all: Record<string, number>) =>
      Object.fromEntries(Object.entries(all).map(([name, length]) => [name, plain[`plain/${length}.jsonl`]]))
    const { code, stdout, stderr } = await simulated('x.zip', 'y.zip')
    expect(figuresIn(stdout)).toEqual(expected(lengths))
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'ctxwin: 1 file skipped: not read in an archive (x.zip!/j (2).jsonl)\n',
    })
    // A file by itself and one in an archive may have one name: that of the first comes first.
    expect(figuresIn((await simulated('y.zip!/z.zip')).stdout)).toEqual(expected(nested))
    rmSync(join(cwd, 'x.zip!'), { recursive: true })
    for (const name of Object.keys(lengths).filter((each) => each.startsWith('x.zip'))) {
      expect(figuresIn((await simulated(name)).stdout)).toEqual(expected({ [name]: lengths[name] as number }))
    }
    for (const name of ['x.zip!/../a.jsonl', 'x.zip!/./a.jsonl', 'x.zip!//a.jsonl']) {
      expect(figuresIn((await simulated(name)).stdout)).toEqual(expected({ 'x.zip!/a.jsonl': 100 }))
    }
  })
})

describe('an archive', () => {
  it('gives each file in it, stored, deflated or in Zstandard, as the file itself would be read', async () => {
    const path = archive('methods.zip', [
      { name: 'stored.json', bytes: chat, method: 0 },
      { name: 'deflated.json', bytes: chat },
      { name: 'zstd.json', bytes: chatZstd, method: 93 },
      { name: 'gzip.json.gz', bytes: gzipSync(chat) },
    ])
    const alone = await readSource({ name: 'x', chunks: [chat] })
    const sources = await openArchive(path)
    expect(sources.map(({ name }) => name.slice(path.length))).toEqual([
      '!/deflated.json',
      '!/gzip.json.gz',
      '!/stored.json',
      '!/zstd.json',
    ])
    for (const source of sources) {
      const { traces, report } = await readSource(source)
      expect([traces.map((trace) => trace.messages), report.problems]).toEqual([
        alone.traces.map((trace) => trace.messages),
        [],
      ])
    }
  })

  it('can be read again from the start, as --last does', async () => {
    archive('twice.zip', [
      { name: 'a.json', bytes: chat },
      { name: 'b.json', bytes: chat },
    ])
    expect((await run('twice.zip', '--last', '1')).read).toHaveLength(1)
  })

  it('has its transcripts read on the command line, skips its other files, and names one of them', async () => {
    archive('export.zip', [
      { name: 'two/b.jsonl', bytes: chat },
      { name: 'a [1].json', bytes: chat },
      { name: '__MACOSX/._a.json', bytes: Buffer.from('\0\0') },
      { name: 'user.json', bytes: Buffer.from('{"id":"u"}') },
      { name: 'chat.html', bytes: Buffer.from('<html>') },
      { name: 'inner.zip', bytes: zip([{ name: 'a.json', bytes: chat }]) },
    ])
    const read = ['export.zip!/a [1].json', 'export.zip!/two/b.jsonl']
    const stderr = 'ctxwin: 2 files skipped: 1 not read in an archive (export.zip!/inner.zip), 1 unknown format\n'
    expect(await run('export.zip')).toEqual({ code: 0, stderr, read })
    expect(await run('./export.zip', 'export.zip!/two/b.jsonl')).toMatchObject({ code: 0, read: { length: 2 } })
    expect(await run('export.zip!/a [1].json')).toEqual({ code: 0, stderr: '', read: [read[0]] })
    expect(await run('export.zip!/none.json')).toMatchObject({ code: 2, stderr: expect.stringMatching(/none\.json/) })
  })

  it('of Inspect is read from its samples, in a directory too, without a word about the rest', async () => {
    const log = JSON.parse(fixtureText('inspect', 'log.json'))
    const { samples: all, ...header } = log
    const samples = all.filter(({ messages }: { messages?: unknown }) => Array.isArray(messages))
    mkdirSync(join(directory, 'logs'))
    archive('logs/run.eval', [
      { name: '_journal/start.json', bytes: Buffer.from(JSON.stringify({ version: 2, eval: header.eval })) },
      ...samples.map((sample: { id: unknown; epoch: number }) => ({
        name: `samples/${sample.id}_epoch_${sample.epoch}.json`,
        bytes: Buffer.from(JSON.stringify(sample)),
      })),
      { name: 'summaries.json', bytes: Buffer.from('[{"id":1}]') },
      { name: 'header.json', bytes: Buffer.from(JSON.stringify(header)) },
    ])
    const { code, stderr, read } = await run('logs')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(new Set(read).size).toBe(samples.length)
    expect(read.every((name) => name.startsWith('logs/run.eval!/samples/'))).toBe(true)
  })

  it('is not written over by the result', async () => {
    const path = archive('input.zip', [{ name: 'a.json', bytes: chat }])
    const before = readFileSync(path)
    const { code, stderr } = await runCli(['simulate', 'input.zip', '--output-file', 'input.zip'], { cwd: directory })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/it is an input/) })
    expect(readFileSync(path)).toEqual(before)
  })

  it.each<[string, readonly Packed[], (bytes: Buffer) => Buffer, RegExp]>([
    ['cut off', [{ name: 'a.json', bytes: chat }], (all) => all.subarray(0, -30), /directory is damaged or cut off/],
    ['encrypted', [{ name: 'a.json', bytes: chat, encrypted: true }], (all) => all, /encrypted/],
    ['packed by LZMA', [{ name: 'a.json', bytes: chat, method: 14 }], (all) => all, /method 14/],
    ['without a transcript', [{ name: 'a.png', bytes: chat }], (all) => all, /no file in it ends like one/],
    ['empty', [], (all) => all, /no file in it ends like one/],
    [
      'of files that share their bytes',
      ['a', 'b', 'c'].map((name) => ({ name: `${name}.json`, bytes: chat, at: 0 })),
      (all) => all,
      /overlap/,
    ],
  ])('%s is told in one line', async (name, files, mangle, words) => {
    archive('bad.zip', files, mangle)
    const { code, stderr, read } = await run('bad.zip')
    expect({ name, code, read, lines: stderr.trim().split('\n').length }).toEqual({ name, code: 2, read: [], lines: 1 })
    expect(stderr).toMatch(words)
    expect(stderr).toMatch(/bad\.zip/)
  })

  it('with more files than any export is refused before they are listed', async () => {
    const path = archive('many.zip', [{ name: 'a.json', bytes: chat }], (bytes) => {
      // Zip64: the number of files stands in a record of its own.
      const record = Buffer.alloc(56)
      record.write('PK\x06\x06', 'latin1')
      record.writeUInt32LE(44, 4)
      record.writeUInt32LE(1_000_000, 24)
      record.writeUInt32LE(1_000_000, 32)
      record.writeUInt32LE(bytes.length, 48)
      const locator = Buffer.alloc(20)
      locator.write('PK\x06\x07', 'latin1')
      locator.writeUInt32LE(bytes.length - 22, 8)
      locator.writeUInt32LE(1, 16)
      const end = Buffer.from(bytes.subarray(-22))
      end.fill(0xff, 8, 20)
      return Buffer.concat([bytes.subarray(0, -22), record, locator, end])
    })
    await expect(openArchive(path)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/more than 100000 files/),
    })
  })

  it('has one damaged file told by name, and the others read', async () => {
    archive(
      'torn.zip',
      [
        { name: 'a.json', bytes: chat },
        { name: 'b.json', bytes: chat },
      ],
      (bytes) => {
        const second = bytes.indexOf('PK\x03\x04', 4, 'latin1')
        return Buffer.concat([bytes.subarray(0, second), Buffer.from('XXXX'), bytes.subarray(second + 4)])
      },
    )
    const { code, stderr, read } = await run('torn.zip')
    expect({ code, read, stderr }).toEqual({
      code: 0,
      read: ['torn.zip!/a.json'],
      stderr: 'ctxwin: 1 file skipped: damaged (torn.zip!/b.json)\n',
    })
    const named = await run('torn.zip!/b.json')
    expect(named.code).toBe(2)
    expect(named.stderr).toMatch(/torn\.zip!\/b\.json: .*its place in the archive is damaged/)
  })

  it('has what is not read told by name', async () => {
    const link = 0o120777
    archive('some.zip', [
      { name: 'a.json', bytes: chat },
      { name: 'b.json', bytes: Buffer.from('old') },
      { name: 'b.json', bytes: chat },
      { name: 'link.json', bytes: Buffer.from('/etc/passwd'), mode: link },
      { name: 'table.parquet', bytes: Buffer.from('PAR1') },
    ])
    const names = ['b (2).json', 'link.json', 'table.parquet'].map((name) => `some.zip!/${name}`)
    const read = ['some.zip!/a.json', 'some.zip!/b.json']
    expect(await run('some.zip')).toEqual({
      code: 0,
      stderr: `ctxwin: 3 files skipped: not read in an archive (${names.join(', ')})\n`,
      read,
    })
    const words = ['check', 'some.zip', '--no-baseline', '--assert', 'maxCuts=9', '-e', 'bytes']
    const [checked, strict] = [
      await runCli(words, { cwd: directory }),
      await runCli([...words, '--strict'], { cwd: directory }),
    ]
    expect([checked.code, strict.code]).toEqual([0, 1])
    for (const told of [
      'some.zip!/b (2).json: left out: a later file in the archive has the same name',
      'some.zip!/link.json: left out: it is a link, and links in an archive are not followed',
      'some.zip!/table.parquet: left out: it is read only as a file of its own: unpack the archive',
    ]) {
      const [name = ''] = told.split(': ')
      expect(checked.stdout).toContain(name)
      expect(strict.stdout.replaceAll(/\s+/g, ' ')).toContain(told.slice(name.length + 2))
    }
  })

  it('has a file that is encrypted or packed in another way told by name, and the others read', async () => {
    archive('mixed.zip', [
      { name: 'a.json', bytes: chat },
      { name: 'b.json', bytes: chat, encrypted: true },
      { name: 'c.json', bytes: chat, method: 14 },
    ])
    const { code, stderr, read } = await run('mixed.zip')
    expect({ code, read }).toEqual({ code: 2, read: ['mixed.zip!/a.json'] })
    expect(stderr).toMatch(
      /^ctxwin: cannot read mixed\.zip!\/b\.json: it is encrypted: .*\n.*c\.json: it is packed by method 14/,
    )
  })

  it('has a file of another checksum told as damaged', async () => {
    archive('sum.zip', [{ name: 'a.json', bytes: chat, checksum: 1 }])
    const { code, stdout } = await runCli(['simulate', 'sum.zip'], { cwd: directory })
    expect(code).toBe(0)
    expect(stdout).toContain('the checksum in the archive is that of other bytes')
  })

  it('in a directory leaves the others read: a damaged one is skipped and named, one that is encrypted is an error', async () => {
    const among = join(directory, 'among')
    mkdirSync(among)
    writeFileSync(join(among, 'a.json'), chat)
    writeFileSync(join(among, 'b.jsonl.gz'), gzipSync(chat).subarray(0, 11))
    writeFileSync(join(among, 'c.zip'), 'PK\x03\x04 and no directory')
    const damaged = await run('among')
    expect(damaged).toMatchObject({ code: 0, read: ['among/a.json'] })
    expect(damaged.stderr).toBe('ctxwin: 2 files skipped: damaged (among/b.jsonl.gz, among/c.zip)\n')
    archive('among/d.zip', [{ name: 'a.json', bytes: chat, encrypted: true }])
    const encrypted = await run('among')
    expect(encrypted).toMatchObject({ code: 2, read: ['among/a.json'] })
    expect(encrypted.stderr).toMatch(/^ctxwin: cannot read among\/d\.zip: its files are encrypted/)
  })

  it('has each file held to --max-unpacked', async () => {
    archive('bomb.zip', [
      { name: 'a.json', bytes: Buffer.alloc(4 << 20, 0x5b) },
      { name: 'b.json', bytes: chat },
    ])
    const { code, stderr, read } = await run('bomb.zip', '--max-unpacked', '1MB')
    expect({ code, read }).toEqual({ code: 2, read: ['bomb.zip!/b.json'] })
    expect(stderr).toMatch(/bomb\.zip!\/a\.json: it unpacks to more than 1 MB/)
  })
})
