import { describe, expect, test } from 'vitest'
import { type ToolTarget, toolTargets } from '../../../src/references/targets/tool-target.ts'

/** The first of a call's targets; all null if there is none. */
function toolTarget(name: string, input: unknown): ToolTarget {
  return toolTargets(name, input)[0] ?? { kind: 'other', target: null, range: null, form: null }
}

const short = (name: string, input: unknown): string[] =>
  toolTargets(name, input).map(({ kind, target, range }) =>
    [kind, target, ...(range === null ? [] : [range])].join(' '),
  )

describe('file tools', () => {
  test.each([
    ['Read', { file_path: '/a/b.ts' }, 'read /a/b.ts'],
    ['Read', { file_path: '/a/b.ts', offset: 10, limit: 20 }, 'read /a/b.ts 10-29'],
    ['Read', { file_path: '/a/b.ts', limit: 20 }, 'read /a/b.ts 1-20'],
    ['Read', { file_path: '/a/b.ts', offset: 100 }, 'read /a/b.ts 100-'],
    ['Read', '{"file_path":"/a/b.ts","offset":"10","limit":"20"}', 'read /a/b.ts 10-29'],
    ['read', { filePath: 'a.ts' }, 'read a.ts'],
    ['view', { path: 'C:\\a.md', view_range: [1, 40] }, 'read C:\\a.md 1-40'],
    ['view', { path: 'a.md', view_range: [5, -1] }, 'read a.md 5-'],
    ['read_file', { path: 'a.md', start_line: 3, end_line: 9 }, 'read a.md 3-9'],
    ['mcp__filesystem__read_text_file', { path: 'a.md' }, 'read a.md'],
    ['str_replace_editor', { command: 'view', path: 'a.py' }, 'read a.py'],
    ['str_replace_editor', { command: 'str_replace', path: 'a.py' }, 'write a.py'],
    ['Write', { file_path: 'a.ts', content: '' }, 'write a.ts'],
    ['MultiEdit', { file_path: 'a.ts', edits: [] }, 'write a.ts'],
    ['NotebookEdit', { notebook_path: 'a.ipynb' }, 'write a.ipynb'],
    ['replace', { file_path: 'a.ts' }, 'write a.ts'],
    ['WebFetch', { url: 'https://x.dev', prompt: 'p' }, 'read https://x.dev'],
    ['Grep', { pattern: 'foo', path: 'src', glob: '*.ts' }, 'read foo in src in *.ts'],
    ['Glob', { pattern: '**/*.ts' }, 'read **/*.ts'],
    ['WebSearch', { query: 'q' }, 'read q'],
    ['unknown_tool', { path: 'a.ts' }, 'other a.ts'],
  ])('%s %j', (name, input, expected) => {
    expect(short(name, input)).toEqual([expected])
  })
})

describe('shell commands', () => {
  test.each([
    ["sed -n '1,200p' src/a.ts", ['read src/a.ts 1-200']],
    ["sed -n '7p;9p' a", ['read a 7-7']],
    ["nl -ba src/a.ts | sed -n '20,60p'", ['read src/a.ts 20-60']],
    ['cat a.ts b.ts', ['read a.ts', 'read b.ts']],
    ['head -n 50 a.ts; tail -n +5 b.ts && tail -20 c.ts', ['read a.ts 1-50', 'read b.ts 5-', 'read c.ts last 20']],
    ['head a.ts', ['read a.ts 1-10']],
    ['cd packages/x && cat src/a.ts "/etc/b c"', ['read packages/x/src/a.ts', 'read /etc/b c']],
    ['cat a.ts | grep foo | head -3', ['read a.ts 1-3']],
    ["cat > out.txt <<'EOF'\ncat not-a-command.txt\nEOF\ncat in.txt", ['write out.txt', 'read in.txt']],
    ['npm test > log.txt 2>&1', ['write log.txt']],
    ['npm test 2>/dev/null', []],
    ["sed -i 's/a/b/' a.ts", ['write a.ts']],
    ['FOO=1 sudo rm -rf dist', ['write dist']],
    ['mv a b; cp c d', ['write a', 'write b', 'write d']],
    ["rg -n 'foo bar' src", ['read rg -n foo bar src']],
    ['Get-Content -Path C:\\a\\b.md -TotalCount 40', ['read C:\\a\\b.md 1-40']],
    ["bash -lc 'cat a.ts'", ['read a.ts']],
    ['git status && npm run build', []],
    ["cat 'unclosed", ['read unclosed']],
  ])('%s', (command, expected) => {
    expect(short('Bash', { command })).toEqual(expected)
    expect(short('exec_command', JSON.stringify({ cmd: command }))).toEqual(expected)
  })

  test('the words of a command are read as its line is', () => {
    expect(short('shell', { command: ['bash', '-lc', "sed -n '1,20p' a.ts"] })).toEqual(['read a.ts 1-20'])
    expect(short('local_shell_call', { command: ['cat', 'a b.ts'] })).toEqual(['read a b.ts'])
  })

  test('shells in shells end', () => {
    const command = Array.from({ length: 50 }).reduce<string>(
      (inner) => `bash -c ${JSON.stringify(inner)}`.slice(0, 5000),
      'cat a',
    )
    expect(() => toolTargets('Bash', { command })).not.toThrow()
  })
})

test('a patch names every file, and one that it moves twice', () => {
  const patch =
    '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n@@\n-x\n*** Add File: c.ts\n+y\n*** Delete File: d.ts\n*** End Patch'
  const expected = ['write src/a.ts', 'write src/b.ts', 'write c.ts', 'write d.ts']
  expect(short('apply_patch', patch)).toEqual(expected)
  expect(short('apply_patch', { input: patch })).toEqual(expected)
  expect(short('patch', { patchText: patch })).toEqual(expected)
  expect(short('shell', { command: ['apply_patch', patch] })).toEqual(expected)
  expect(short('Bash', { command: `apply_patch <<'EOF'\n${patch}\nEOF` })).toEqual(expected)
})

test('a target is the first of the targets', () => {
  expect(toolTarget('Bash', { command: 'cat a b' })).toEqual({ kind: 'read', target: 'a', range: null, form: 'path' })
  expect(toolTarget('Bash', { command: 'ls' }).form).toBe('query')
  expect(toolTarget('TodoWrite', { todos: [] })).toEqual({ kind: 'other', target: null, range: null, form: null })
})
