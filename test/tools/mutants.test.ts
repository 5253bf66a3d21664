import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { baseOf, changedSince, chosenOf, shareOf } from '../../tools/mutants/choose.mjs'
import { mutants } from '../../tools/mutants/list.mjs'
import { type Mutant, outdated, planted } from '../../tools/mutants/plant.mjs'

const root = resolve(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'ctxwin-mutants-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const fault = (name: string, more: Partial<Mutant> = {}): Mutant => ({
  ...{ name, file: 'a.ts', text: 'one', becomes: 'two', why: 'it is wrong', tests: ['a.test.ts'] },
  ...more,
})

describe('a fault', () => {
  it('is planted where its text stands, as it is written', () => {
    expect(planted('const it = one', fault('x', { becomes: "$& $1 $'" }))).toBe("const it = $& $1 $'")
  })

  it.each([
    ['', 'does not occur'],
    ['one, one', 'occurs 2 times'],
  ])('is refused in "%s", and said how to mend', (source, found) => {
    expect(() => planted(source, fault('x'))).toThrow(
      `x: its text ${found} in a.ts. Say in tools/mutants/list.mjs how the code reads now`,
    )
  })
})

describe('a list', () => {
  it('is told what of it no longer fits the code', () => {
    writeFileSync(join(scratch, 'a.ts'), 'one')
    writeFileSync(join(scratch, 'a.test.ts'), '')
    expect(outdated([fault('fits')], scratch)).toEqual([])
    const list = [
      fault('x'),
      fault('x'),
      fault('gone', { file: 'b.ts' }),
      fault('untried', { tests: [] }),
      fault('renamed', { tests: ['b.test.ts'] }),
      fault('changed', { text: 'three' }),
    ]
    expect(outdated(list, scratch)).toEqual([
      'x: there are two faults of that name',
      'gone: there is no file b.ts',
      'untried: it names no test that should find it',
      'renamed: there is no test b.test.ts',
      expect.stringMatching(/^changed: its text does not occur in a\.ts\. /),
    ])
  })

  it('of ours fits the code', () => {
    expect(outdated(mutants, root)).toEqual([])
  })
})

describe('which faults are tried', () => {
  const list = [
    fault('one'),
    fault('two', { file: 'b.ts', tests: ['b.test.ts'] }),
    fault('three', { file: 'c.ts', tests: ['a.test.ts', 'c.test.ts'] }),
  ]
  const names = (chosen: readonly Mutant[]) => chosen.map(({ name }) => name)

  it('all, or one by its name', () => {
    expect(names(chosenOf(list, {}))).toEqual(['one', 'two', 'three'])
    expect(names(chosenOf(list, { only: 'two' }))).toEqual(['two'])
    expect(names(chosenOf(list, { only: 'four' }))).toEqual([])
  })

  it('those of changed files, and then those of changed tests', () => {
    expect(names(chosenOf(list, { changed: ['c.test.ts', 'b.ts', 'README.md'] }))).toEqual(['two', 'three'])
    expect(names(chosenOf(list, { changed: [] }))).toEqual([])
  })

  it('a share of all, the same each time, behind those of what changed', () => {
    const many = Array.from({ length: 400 }, (_, nth) => fault(`fault-${nth}`))
    const tenth = names(chosenOf(many, { sample: 0.1 }))
    expect(tenth).toEqual(names(many.filter(({ name }) => shareOf(name) < 0.1)))
    expect(tenth.length).toBeGreaterThan(20)
    expect(tenth.length).toBeLessThan(60)
    expect(names(chosenOf(list, { changed: ['c.ts'], sample: 1 }))).toEqual(['three', 'one', 'two'])
    // Nothing is known of what changed: the share alone.
    expect(names(chosenOf(many, { changed: null, sample: 0.1 }))).toEqual(tenth)
  })
})

describe('what has changed', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd, encoding: 'utf8' })
  const commit = (cwd: string, name: string) => {
    writeFileSync(join(cwd, name), name)
    git(cwd, 'add', '.')
    git(cwd, 'commit', '--quiet', '--message', name)
  }

  it('is what differs from where the branch began, or else from the commit before', () => {
    const origin = join(scratch, 'origin')
    git(scratch, 'init', '--quiet', '--initial-branch', 'main', origin)
    commit(origin, 'one.ts')
    commit(origin, 'two.ts')
    const clone = join(scratch, 'clone')
    git(scratch, 'clone', '--quiet', origin, clone)
    expect(changedSince(baseOf(clone) as string, clone)).toEqual(['two.ts'])
    git(clone, 'switch', '--quiet', '--create', 'work')
    commit(clone, 'three.ts')
    commit(clone, 'four.ts')
    writeFileSync(join(clone, 'one.ts'), 'other')
    expect(changedSince(baseOf(clone) as string, clone)).toEqual(['four.ts', 'one.ts', 'three.ts'])
    expect(changedSince('nowhere', clone)).toBe(null)
  })

  it('is not known in a clone of one commit, nor outside of a repository', () => {
    const shallow = join(scratch, 'shallow')
    git(scratch, 'clone', '--quiet', '--depth', '1', `file://${join(scratch, 'origin')}`, shallow)
    expect(existsSync(join(shallow, 'two.ts'))).toBe(true)
    expect(baseOf(shallow)).toBe(null)
    expect(baseOf(scratch)).toBe(null)
  })
})
