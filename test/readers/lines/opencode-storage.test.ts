/** The tree of files that opencode kept its sessions in up to 1.1. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { keysOf, Responses } from '../../../src/app/files/responses.ts'
import { openInputs } from '../../../src/cli/inputs/open.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { outlines, readRecords, readSource } from '../reading.ts'
import { entries, tokens, writeTree } from './opencode-tree.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-opencode-'))
afterAll(() => rmSync(top, { recursive: true }))

const info = { id: 'ses_fig', version: '1.1.65', projectID: 'prj', directory: '/home/ada/figs', parentID: 'ses_top' }

/** @returns the file of the session */
function written(home: string): string {
  const storage = join(top, home, 'storage')
  const file = join(storage, 'session/prj/ses_fig.json')
  writeTree(file, info)
  mkdirSync(join(storage, 'todo'))
  writeFileSync(join(storage, 'todo/ses_fig.json'), '[]')
  return file
}

const filesOf = (path: string) => {
  const world = { cwd: () => top, env: {}, stdin: { isTTY: true }, note: () => {} } as never
  return openInputs([path], world).map(({ source }) => source.name)
}

describe('the files of a session of opencode', () => {
  it('are read as one document, which is what an export holds', async () => {
    const read = await readSource(openFile(written('a')))
    const exported = await readRecords([{ info, messages: entries }], 'opencode')
    expect(outlines(read)).toEqual([
      '1 ?user: Which figs survive frost?',
      '2 assistant: I look. | grep#call_1',
      '2 tool#call_1: Brown Turkey',
    ])
    expect(outlines(read)).toEqual(outlines(exported))
    const [trace] = read.traces
    expect(trace!.head).toMatchObject({
      ...{ conversation: 'ses_fig', parent: 'ses_top', cwd: '/home/ada/figs', version: '1.1.65' },
      ...{ model: 'claude-sonnet-4-5', format: 'opencode' },
    })
    // Before 1.3.16 the output holds the reasoning.
    const { input, output, cache } = tokens
    const counts = { cacheRead: cache.read, cacheWrite: cache.write, cacheWrite1h: 0, cost: 0.0079 }
    expect(trace!.usage(0)).toEqual({ ...counts, input: input + cache.read + cache.write, output })
    expect(trace!.requests).toBe(1)
    expect(read.findings).toEqual([])
  })

  it('count once beside the same session in another form', async () => {
    const responses = new Responses()
    const [first] = (await readRecords([{ info, messages: entries }], 'opencode')).traces
    expect(responses.found(keysOf(first!)).size).toBe(0)
    responses.end('opencode.db!/ses_fig')
    const [second] = (await readSource(openFile(written('b')))).traces
    expect([...responses.found(keysOf(second!)).values()]).toEqual(['opencode.db!/ses_fig'])
  })

  it('are found in a directory as the session alone', () => {
    written('c')
    expect(filesOf('c')).toEqual(['c/storage/session/prj/ses_fig.json', 'c/storage/todo/ses_fig.json'])
  })

  it('are files like others where there is no session to them', () => {
    const file = join(top, 'd/part/a/b.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '{}')
    expect(filesOf('d')).toEqual(['d/part/a/b.json'])
  })

  it('have what is damaged named by the message', async () => {
    const file = written('e')
    writeFileSync(join(top, 'e/storage/part/msg_2/prt_1.json'), '{"type":"te')
    const { traces, findings } = await readSource(openFile(file))
    expect(findings).toEqual(['bad-record@2'])
    expect(traces[0]!.requests).toBe(1)
  })

  it('are another session as soon as any of them has changed', () => {
    const file = written('f')
    const stamp = () => openFile(file).session!.stamp()
    const before = stamp()
    expect(stamp()).toBe(before)
    utimesSync(join(top, 'f/storage/part/msg_2/prt_2.json'), 1, 1)
    const touched = stamp()
    expect(touched).not.toBe(before)
    writeFileSync(join(top, 'f/storage/part/msg_2/prt_3.json'), '{}')
    expect(stamp()).not.toBe(touched)
    expect(openFile(file).session!.size).toBeGreaterThan(JSON.stringify(entries).length)
  })
})
