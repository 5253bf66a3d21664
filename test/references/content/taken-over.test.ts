import { expect, test } from 'vitest'
import {
  quotationsIn,
  sentByCall,
  takenByCall,
  textsOf,
  writtenByCall,
} from '../../../src/references/content/taken-over.ts'
import { toolTargets } from '../../../src/references/targets/tool-target.ts'

const taken = (name: string, input: unknown): (string | null)[][] =>
  takenByCall(textsOf(input), toolTargets(name, input)).map(({ target, text }) => [target, text])

const patch = [
  '*** Begin Patch',
  '*** Update File: src/a.ts',
  '@@ class A',
  ' context',
  '-old',
  '+new',
  '*** Add File: src/b.ts',
  '+added',
  '*** Update File: src/c.ts',
  '*** Move to: src/d.ts',
  '-gone',
  '*** End Patch',
].join('\n')

test.each([
  ['Edit', { file_path: 'a.ts', old_string: 'old', new_string: 'new' }, [['a.ts', 'old']]],
  ['edit', { filePath: 'a.ts', oldString: 'old', newString: 'new' }, [['a.ts', 'old']]],
  ['str_replace_editor', { command: 'str_replace', path: 'a.py', old_str: 'old', new_str: 'new' }, [['a.py', 'old']]],
  ['MultiEdit', { file_path: 'a.ts', edits: [{ old_string: 'one' }, { old_string: 'two' }] }, [['a.ts', 'one\ntwo']]],
  ['edit', { path: 'a.ts', edits: [{ oldText: 'one', newText: 'two' }] }, [['a.ts', 'one']]],
  ['Write', { file_path: 'a.ts', content: 'all of it' }, [['a.ts', 'all of it']]],
  [
    'replace_in_file',
    { path: 'a.ts', diff: '<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE' },
    [['a.ts', 'old\n']],
  ],
  [
    'apply_diff',
    { path: 'a.ts', diff: '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n kept\n-old\n+new' },
    [['a.ts', ' kept\n-old']],
  ],
  [
    'apply_patch',
    patch,
    [
      ['src/a.ts', ' context\n-old'],
      ['src/c.ts', '-gone'],
    ],
  ],
  [
    'shell',
    { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] },
    [
      ['src/a.ts', ' context\n-old'],
      ['src/c.ts', '-gone'],
    ],
  ],
  ['Read', { file_path: 'a.ts' }, []],
  ['Bash', { command: 'cat a.ts' }, []],
  ['Edit', { file_path: 'a.ts', old_string: 5 }, []],
  ['Edit', 'no object', []],
])('%s %j takes over', (name, input, expected) => {
  expect(taken(name, input)).toEqual(expected)
})

test('an answer quotes what stands between fences, and a fence that stays open quotes nothing', () => {
  expect(quotationsIn('As in\n```ts\none\ntwo\n```\nand\n  ```\nthree\n  ```\nbut\n```\nfour')).toEqual([
    { target: null, text: 'one\ntwo' },
    { target: null, text: 'three' },
  ])
  expect(quotationsIn('no `code` at all')).toEqual([])
})

test.each([
  ['Edit', { file_path: 'a.ts', old_string: 'old', new_string: 'new' }, ['old', 'new'], ['a.ts', 'old', 'new']],
  [
    'MultiEdit',
    { file_path: 'a.ts', edits: [{ old_string: 'one' }, { new_string: 'two' }] },
    ['one', 'two'],
    ['a.ts', 'one', 'two'],
  ],
  ['Write', { file_path: 'a.ts', content: 'all of it' }, ['all of it'], ['a.ts', 'all of it']],
  ['Bash', { command: 'echo text > a.ts' }, [], ['echo text > a.ts']],
  ['TodoWrite', { content: 'no file' }, [], ['no file']],
  ['shell', { command: ['apply_patch', patch] }, [patch], ['apply_patch', patch]],
  ['exec', `await tools.exec_command({cmd: "cat a.ts"})`, [], ['cat a.ts']],
  ['exec', `await tools.apply_patch(${JSON.stringify(patch)})`, [patch], [patch]],
])('what %s writes into files, of all that it is sent: %j', (name, input, written, sent) => {
  expect(writtenByCall(textsOf(input), toolTargets(name, input)).map(({ text }) => text)).toEqual(written)
  expect(textsOf(input).sent).toEqual(sent)
})

test.each([
  ['Edit', { file_path: 'a.ts', old_string: 'old', new_string: 'new' }, ['prose', 'edit', 'edit']],
  ['Write', { file_path: 'a.ts', content: 'all of it' }, ['prose', 'file']],
  ['Bash', { command: 'ls', description: 'says what is there' }, ['command', 'prose']],
  ['shell', { command: ['bash', '-lc', 'ls'], workdir: '/a' }, ['command', 'command', 'command', 'prose']],
  ['shell', { command: ['apply_patch', patch] }, ['command', 'edit']],
  ['apply_patch', patch.replaceAll('Update File', 'Add File'), ['file']],
  [
    'exec',
    `await tools.exec_command({cmd: "cat a.ts"}); await tools.apply_patch(${JSON.stringify(patch)})`,
    ['command', 'edit'],
  ],
  ['TodoWrite', { todos: [{ content: 'a plan' }] }, ['prose']],
])('of what kind is what %s is sent: %j', (name, input, kinds) => {
  const texts = textsOf(input)
  const written = writtenByCall(texts, toolTargets(name, input))
  expect(sentByCall(name, texts, written).map(({ kind }) => kind)).toEqual(kinds)
})
