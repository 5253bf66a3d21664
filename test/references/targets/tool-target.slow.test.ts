/** Targets of very long calls, and of many random ones. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolTargets } from '../../../src/references/targets/tool-target.ts'

test.each(['cat', 'rm', 'sed -i s/a/b/', 'x >', 'apply_patch'])('%s names any number of files', (verb) => {
  const files = Array.from({ length: 150_000 }, (_, index) => `f${index}.ts`)
  const line = verb === 'x >' ? files.map((file) => `>${file}`).join(' ') : files.join(' ')
  const patch = `'${files.map((file) => `*** Add File: ${file}`).join('\n')}'`
  expect(toolTargets('Bash', { command: `${verb} ${verb === 'apply_patch' ? patch : line}` })).toHaveLength(150_000)
})

test('any name and any input is taken without a throw', () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('Bash', 'Read', 'apply_patch', 'Grep', 'str_replace_editor', '__proto__', 'constructor'),
  )
  const fields = fc.constantFrom(
    'command',
    'cmd',
    'path',
    'file_path',
    'url',
    'pattern',
    'offset',
    'limit',
    'view_range',
    '__proto__',
    'input',
  )
  const command = fc
    .array(fc.constantFrom(...'cat sed -n 1,2p \' " | > < << ; && cd bash -c a \n \\ head -5 rm $( )'.split(' '), '  '))
    .map((words) => words.join(' '))
  const inputs = fc.oneof(fc.jsonValue(), command, fc.dictionary(fields, fc.oneof(fc.jsonValue(), command)))
  fc.assert(
    fc.property(names, inputs, (name, input) => {
      const targets = [input, JSON.stringify(input)].flatMap((given) => toolTargets(name, given))
      return targets.every(({ target }) => typeof target === 'string')
    }),
    { numRuns: 1500 },
  )
})
