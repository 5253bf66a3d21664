import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixture } from '../../readers/reading.ts'
import { runCli } from '../run.ts'

describe('export --to a form -o DIRECTORY', () => {
  let cwd = ''
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'ctxwin-convert-'))
    for (const [folder, file] of [
      ['a', 'openai-chat/tools.jsonl'],
      ['b', 'openai-chat/tools.jsonl'],
      ['b', 'claude-code/refactor.jsonl'],
    ] as const) {
      mkdirSync(join(cwd, folder), { recursive: true })
      cpSync(fixture(file), join(cwd, folder, file.split('/')[1] as string))
    }
  })
  afterEach(() => rmSync(cwd, { recursive: true }))

  const convert = (...argv: string[]) => runCli(['export', 'a', 'b', '--to', 'atif', ...argv], { cwd })

  it('writes each transcript into a file of its own, together what one stream has', async () => {
    const { stdout } = await convert()
    const { code } = await convert('-o', 'out/')
    expect(code).toBe(0)
    const names = readdirSync(join(cwd, 'out'))
    expect(names).toEqual(expect.arrayContaining(['refactor.jsonl', 'tools.jsonl', 'tools~2.jsonl']))
    const lines = names.flatMap((name) => readFileSync(join(cwd, 'out', name), 'utf8').split(/(?<=\n)/))
    expect(lines.toSorted()).toEqual(stdout.split(/(?<=\n)/).toSorted())
    expect(names).toHaveLength(stdout.split('\n').length - 1)
  })

  it('takes a directory that is there without a slash, and overwrites nothing in it', async () => {
    mkdirSync(join(cwd, 'out'))
    expect((await convert('-o', 'out')).code).toBe(0)
    const before = readFileSync(join(cwd, 'out', 'tools.jsonl'))
    const { code, stderr } = await convert('-o', 'out')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('out/tools.jsonl') })
    expect(readFileSync(join(cwd, 'out', 'tools.jsonl'))).toEqual(before)
    const input = readFileSync(join(cwd, 'a', 'tools.jsonl'))
    expect((await convert('-o', 'a')).code).toBe(2)
    expect(readFileSync(join(cwd, 'a', 'tools.jsonl'))).toEqual(input)
  })

  it('gives no two transcripts one name, not even where one is called like the second of another', async () => {
    cpSync(join(cwd, 'a', 'tools.jsonl'), join(cwd, 'a', 'tools~2.jsonl'))
    cpSync(join(cwd, 'a', 'tools.jsonl'), join(cwd, 'a', 'Tools.jsonl'))
    const { stdout } = await convert()
    expect(await convert('-o', 'out/')).toMatchObject({ code: 0, stdout: '' })
    const names = readdirSync(join(cwd, 'out')).map((name) => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(stdout.split('\n').length - 1)
  })

  it('makes a name that any file system takes of any name', async () => {
    const odd = join(cwd, '..hidden \u0007 name (1).jsonl')
    writeFileSync(odd, readFileSync(fixture('openai-chat/tools.jsonl')))
    expect((await runCli(['export', odd, '--to', 'ctxwin', '-o', 'odd/'], { cwd })).code).toBe(0)
    expect(readdirSync(join(cwd, 'odd'))[0]).toBe('hidden-name-1-.jsonl')
  })

  it('makes no directory where there is nothing to convert', async () => {
    writeFileSync(join(cwd, 'none.jsonl'), '')
    expect((await runCli(['export', 'none.jsonl', '--to', 'ctxwin', '-o', 'new/'], { cwd })).code).toBe(0)
    expect(readdirSync(cwd)).not.toContain('new')
  })
})
