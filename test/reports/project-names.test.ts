import { describe, expect, it } from 'vitest'
import { placeNames, worktreeName } from '../../src/reports/project-names.ts'

describe('the name of a worktree', () => {
  it.each([
    ['/home/me/src/agentv/.worktrees/3', 'agentv · 3'],
    ['/home/me/src/cli/.worktrees/alex/fix-login', 'cli · alex/fix-login'],
    ['/home/me/src/shop/.claude/worktrees/brave-fox', 'shop · brave-fox'],
    ['/home/me/.codex/worktrees/3/agentv', 'agentv · 3'],
    ['/home/me/Code/worktrees/flutter/brisk-beam/flutter', 'flutter · brisk-beam'],
    ['/home/me/.cursor/worktrees/shop/x1y2', 'shop · x1y2'],
    ['/home/me/src/shop.worktrees/main-2', 'shop · main-2'],
    ['/home/me/src/shop-worktrees/main-2', 'shop · main-2'],
    ['/home/me/conductor/workspaces/whatsapp-sender/sao-paulo', 'whatsapp-sender · sao-paulo'],
    ['C:\\src\\shop\\.worktrees\\two', 'shop · two'],
    ['/home/me/src/shop/worktrees/two', 'shop · two'],
  ])('%s is %s', (directory, name) => {
    expect(worktreeName(directory)).toBe(name)
  })

  it.each(['/home/me/shop', '/home/me/worktrees', '/worktrees', '/home/me/workspaces/shop', '', '/'])(
    '%s is none',
    (directory) => expect(worktreeName(directory)).toBeNull(),
  )
})

describe('the names of places', () => {
  it('tell a project, its worktrees and projects of the same name apart', () => {
    const directories = [
      '/home/me/a/cli',
      '/home/me/b/cli',
      '/home/me/a/cli/.worktrees/1',
      '/home/me/a/cli/.worktrees/2',
      '/home/me/b/cli/.worktrees/2',
      null,
    ]
    const nameOf = placeNames([...directories, ...directories])
    expect(directories.map(nameOf)).toEqual([
      'a/cli',
      'b/cli',
      'cli · 1',
      // Two of the same name are told by their paths.
      '/home/me/a/cli/.worktrees/2',
      '/home/me/b/cli/.worktrees/2',
      null,
    ])
    const names = directories.filter((one) => one !== null).map(nameOf)
    expect(new Set(names).size).toBe(names.length)
  })
})
