/** Whether two next actions are the same, tier by tier. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agreement, NextAction } from '../../src/model/probe.ts'
import { agreementOf, agreementShares, sameAction } from '../../src/references/agreement.ts'

const calls = (...all: [name: string, input: unknown][]): NextAction => ({
  calls: all.map(([name, input]) => ({ name, input })),
  text: '',
})
const says = (text: string): NextAction => ({ calls: [], text })
const bash = (command: unknown) => calls(['Bash', { command }])

const name = fc.constantFrom('Read', 'Edit', 'Write', 'Bash', 'exec', 'apply_patch', 'grep', 'WebFetch', 'ask', '')
const word = fc.constantFrom(
  ...['src/a.ts', './src/a.ts', '/repo/src/a.ts', '/repo', 'https://a.example/b', 'cd /repo && ls', 'npm test', ''],
  ...['old\nline', 'new  line', '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new\n*** End Patch', '"', '$^'],
  ...['await tools.exec_command({cmd: "ls src"})', '{"file_path":"src/a.ts"}', 'Fixed parseConfig in src/a.ts, #42'],
)
const key = fc.constantFrom('file_path', 'path', 'command', 'old_string', 'new_string', 'content', 'pattern', 'edits')
const input = fc.oneof(word, fc.dictionary(key, fc.oneof(word, fc.array(fc.dictionary(key, word)))), fc.jsonValue())
const action: fc.Arbitrary<NextAction> = fc.record({
  calls: fc.array(fc.record({ name, input }), { maxLength: 3 }),
  text: fc.oneof(word, fc.string()),
})
const cwd = fc.constantFrom(null, '/repo', '/')

describe('agreement', () => {
  it('is the same from either side, and whole with oneself', () => {
    fc.assert(
      fc.property(action, action, cwd, (one, other, cwd) => {
        expect(agreementOf(one, other, cwd)).toEqual(agreementOf(other, one, cwd))
        const own = agreementOf(one, one, cwd)
        expect([own.tool, own.target ?? true, own.edit ?? true, own.input ?? 1, own.said ?? 1]).toEqual([
          ...[true, true, true, 1, 1],
        ])
        expect(sameAction(own)).toBe(true)
      }),
    )
  })

  it('does not depend on the order of calls', () => {
    fc.assert(
      fc.property(action, action, (one, other) => {
        const turned = { ...one, calls: [...one.calls].reverse() }
        expect(agreementOf(turned, other)).toEqual(agreementOf(one, other))
      }),
    )
  })

  it('has shares between 0 and 1, of answers or of inputs only', () => {
    fc.assert(
      fc.property(action, action, (one, other) => {
        const { said, input, tool } = agreementOf(one, other)
        expect(said === null).toBe(one.calls.length + other.calls.length > 0)
        for (const share of [said ?? 0, input ?? 1]) expect(share >= 0 && share <= 1).toBe(true)
        const sorted = ({ calls }: NextAction) => calls.map(({ name }) => name).sort()
        expect(tool).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
      }),
    )
  })

  it('takes what nests without end, and what is very long', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(5_000)}1${']}'.repeat(5_000)}`)
    const long = `${' '.repeat(50_000)}x`.repeat(3)
    const patch = `*** Begin Patch\n*** Update File: a${' '.repeat(50_000)}b\n${'@@\n- \n'.repeat(5_000)}`
    const marks = '<<<<<<< SEARCH\n'.repeat(5_000)
    for (const hostile of [deep, long, patch, { command: long }, { path: 'a', diff: marks }, { command: patch }])
      for (const tool of ['ask', 'Bash', 'Edit', 'apply_patch']) {
        const one = calls([tool, hostile])
        expect(sameAction(agreementOf(one, calls([tool, hostile]), '/repo'))).toBe(true)
      }
    const many = calls(...Array.from({ length: 20_000 }, (_, at): [string, unknown] => ['Read', { path: `a${at}` }]))
    expect(agreementOf(many, many).target).toBe(true)
  })
})

describe('the tool', () => {
  it('is counted in parallel calls', () => {
    const read: [string, unknown] = ['Read', { file_path: 'a.ts' }]
    expect(agreementOf(calls(read, read), calls(read)).tool).toBe(false)
    expect(agreementOf(calls(read), calls(['Grep', { pattern: 'a' }])).tool).toBe(false)
    expect(agreementOf(says('Done.'), says('Finished.')).tool).toBe(true)
    expect(agreementOf(says('Done.'), calls(read))).toEqual({
      ...{ tool: false, target: false, edit: null, input: null, said: null },
    })
  })
})

describe('the target', () => {
  const target = (one: NextAction, other: NextAction, cwd: string | null = '/repo') =>
    agreementOf(one, other, cwd).target

  it.each([
    ['src/a.ts', '/repo/src/a.ts', true],
    ['./src/a.ts', 'src//a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['/repository/src/a.ts', 'src/a.ts', false],
  ])('%s is %s: %s', (one, other, same) => {
    expect(target(calls(['Read', { file_path: one }]), calls(['Read', { file_path: other, offset: 5 }]))).toBe(same)
  })

  it.each([
    ['npm  test\n', 'npm test', true],
    ['cd /repo && npm test', 'npm test', true],
    ['cd "/repo/" ; npm test', 'npm test', true],
    ['cat /repo/src/a.ts', 'cat src/a.ts', true],
    ['ls /repo', 'ls .', true],
    ['cat /repo-old/src/a.ts', 'cat src/a.ts', false],
    ['cat /home/repo/src/a.ts', 'cat /homesrc/a.ts', false],
    ['cd /repo/docs && npm test', 'npm test', false],
    ['cd /repo/docs && npm test', 'cd docs && npm test', true],
    ['ls -l -a', 'ls -a -l', false],
    [['bash', '-lc', 'npm test'], 'npm test', true],
    [['npm', 'test'], 'npm test', true],
  ])('the command %j is %j: %s', (one, other, same) => {
    expect(target(bash(one), bash(other))).toBe(same)
  })

  it('goes by an absolute directory in front where the working directory is not known', () => {
    expect(target(bash('cd /repo && ls'), bash('ls'), null)).toBe(true)
    expect(target(bash('cd docs && ls'), bash('ls'), null)).toBe(false)
  })

  it('of a program is what it runs, and of a patch the files', () => {
    const program = (code: string) => calls(['exec', code])
    expect(
      target(program('await tools.exec_command({cmd: "ls src"})'), program('tools.exec_command({ cmd: "ls  src" })')),
    ).toBe(true)
    expect(target(program('await tools.list()'), program('await tools.show()'))).toBe(false)
    const patch = (text: string) => `*** Begin Patch\n*** Update File: src/a.ts\n@@\n${text}\n*** End Patch`
    expect(
      target(bash(`apply_patch <<'EOF'\n${patch('-a')}\nEOF`), bash(`apply_patch <<'EOF'\n${patch('-b')}\nEOF`)),
    ).toBe(true)
  })

  it('of a search is its pattern and its place, and of a page its address', () => {
    const grep = (path: string) => calls(['Grep', { pattern: 'parse', path }])
    expect(target(grep('/repo/src'), grep('src'))).toBe(true)
    expect(target(grep('src'), grep('test'))).toBe(false)
    const fetch = (url: string) => calls(['WebFetch', { url, prompt: Math.random() }])
    expect(target(fetch('https://a.example/b'), fetch('https://a.example/c'))).toBe(false)
    expect(target(fetch('https://a.example/b'), fetch('https://a.example/b'))).toBe(true)
  })
})

describe('the edit', () => {
  const edit = (one: NextAction, other: NextAction) => agreementOf(one, other, '/repo').edit
  const replaced = (old_string: string, new_string: string) =>
    calls(['Edit', { file_path: '/repo/src/a.ts', old_string, new_string }])
  const patched = (...lines: string[]) =>
    calls(['apply_patch', `*** Begin Patch\n*** Update File: src/a.ts\n@@\n${lines.join('\n')}\n*** End Patch`])

  it('is the text that goes and that comes, whatever stands around it', () => {
    const plain = replaced('let a = 1', 'let a = 2')
    expect(edit(plain, replaced('first\n\tlet a =  1\nlast', 'first\n\tlet a =  2\nlast'))).toBe(true)
    expect(edit(plain, replaced('let a = 1', 'let a = 3'))).toBe(false)
    expect(edit(plain, replaced('let a = 0', 'let a = 2'))).toBe(false)
    expect(edit(plain, bash('ls'))).toBe(false)
    expect(edit(bash('ls'), bash('ls -l'))).toBeNull()
  })

  it('is the same by a patch, a diff and blocks to search for', () => {
    const plain = replaced('let a = 1', 'let a = 2')
    const diff = (text: string) => calls(['apply_diff', { path: 'src/a.ts', diff: text }])
    expect(edit(plain, patched(' first', '-let a = 1', '+let a = 2', ' last'))).toBe(true)
    expect(edit(plain, diff('--- a\n+++ b\n@@ -1 +1 @@\n-let a = 1\n+let a = 2'))).toBe(true)
    expect(edit(plain, diff('<<<<<<< SEARCH\nlet a = 1\n=======\nlet a = 2\n>>>>>>> REPLACE'))).toBe(true)
    expect(edit(plain, patched('-let a = 1', '+let a = 4'))).toBe(false)
  })

  it('is counted in its parts', () => {
    const edits = (...all: [string, string][]) =>
      calls([
        'MultiEdit',
        { file_path: 'src/a.ts', edits: all.map(([old_string, new_string]) => ({ old_string, new_string })) },
      ])
    expect(edit(edits(['a', 'b'], ['c', 'd']), edits(['c', 'd'], ['a', 'b']))).toBe(true)
    expect(edit(edits(['a', 'b'], ['c', 'd']), edits(['a', 'b']))).toBe(false)
    expect(edit(edits(['a', 'b'], ['c', 'd']), patched('-a', '+b', '@@', '-c', '+d'))).toBe(true)
  })

  it('of a whole file is its text, and of a file that goes its name', () => {
    const write = (content: string) => calls(['Write', { file_path: 'src/a.ts', content }])
    const add = calls(['apply_patch', '*** Begin Patch\n*** Add File: src/a.ts\n+one\n+two\n*** End Patch'])
    const gone = (file: string) => calls(['apply_patch', `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`])
    const moved = (to: string) =>
      calls(['apply_patch', `*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: ${to}\n*** End Patch`])
    expect(edit(write('one\ntwo\n'), add)).toBe(true)
    expect(edit(write('one\n'), add)).toBe(false)
    expect(edit(gone('a.ts'), gone('a.ts'))).toBe(true)
    expect(edit(gone('a.ts'), gone('b.ts'))).toBe(false)
    expect(edit(moved('b.ts'), moved('c.ts'))).toBe(false)
  })
})

describe('what is said', () => {
  const said = (one: string, other: string) => agreementOf(says(one), says(other), '/repo').said

  it('is what both name, of what each names', () => {
    expect(said('I fixed parseConfig in src/a.ts.', 'src/a.ts: parseConfig had a bug')).toBe(1)
    expect(said('I fixed parseConfig in src/a.ts.', 'See /repo/src/a.ts')).toBeCloseTo(2 / 3)
    expect(said('I fixed parseConfig.', 'All is well.')).toBe(0)
  })

  it('is its words where neither names anything', () => {
    expect(said('Shall I go on?', 'All tests are green.')).toBe(0)
    expect(said('All tests pass now', 'all tests pass')).toBeCloseTo(6 / 7)
    expect(said('', '')).toBe(1)
  })
})

describe('an input without a target that is known', () => {
  const asks = (input: unknown) => calls(['mcp__db__query', input])

  it('is compared by its short arguments, and by what long ones name', () => {
    expect(agreementOf(asks({ city: 'Paris', days: 3 }), asks({ days: 3, city: 'Rome' })).input).toBe(0.5)
    expect(agreementOf(asks({ id: 5 }), asks({ id: 6 })).input).toBe(0)
    expect(agreementOf(asks('{"id": 5}'), asks({ id: 5 })).input).toBe(1)
    const long = (words: string) => asks({ prompt: `${words} `.repeat(20) })
    expect(agreementOf(long('Look at src/a.ts'), long('Please read src/a.ts')).input).toBe(1)
    expect(agreementOf(asks({}), bash('ls')).input).toBe(0)
    expect(agreementOf(bash('ls'), bash('ls')).input).toBeNull()
  })
})

describe('the headline', () => {
  const whole: Agreement = { tool: true, target: true, edit: true, input: null, said: null }

  it('is the same tool and target, and half of what stands in for a target', () => {
    expect(sameAction(whole)).toBe(true)
    expect(sameAction({ ...whole, edit: false })).toBe(true)
    expect(sameAction({ ...whole, tool: false })).toBe(false)
    expect(sameAction({ ...whole, target: false })).toBe(false)
    expect(sameAction({ ...whole, target: null, said: 0.5 })).toBe(true)
    expect(sameAction({ ...whole, target: null, said: 0.49 })).toBe(false)
    expect(sameAction({ ...whole, input: 0.49 })).toBe(false)
  })

  it('is counted with its tiers, each of those that it says something of', () => {
    const tier = fc.constantFrom(null, true, false)
    const share = fc.constantFrom(null, 0, 0.4, 0.5, 1)
    const one = fc.record({ tool: fc.boolean(), target: tier, edit: tier, input: share, said: share })
    fc.assert(
      fc.property(fc.array(one), (all) => {
        const shares = agreementShares(all)
        const expected = (values: (boolean | null)[]) => {
          const told = values.filter((value) => value !== null)
          const [part, whole] = [told.filter(Boolean).length, told.length]
          return { part, whole, share: whole === 0 ? null : part / whole }
        }
        expect(shares.same).toEqual(expected(all.map(sameAction)))
        for (const key of ['tool', 'target', 'edit'] as const)
          expect(shares[key]).toEqual(expected(all.map((one) => one[key])))
        for (const key of ['input', 'said'] as const) {
          const told = all.map((one) => one[key]).filter((value) => value !== null)
          expect(shares[key].whole).toBe(told.length)
          const mean = told.reduce<number>((sum, value) => sum + value, 0) / told.length
          if (told.length === 0) expect(shares[key].mean).toBeNull()
          else expect(shares[key].mean).toBeCloseTo(mean)
        }
      }),
    )
  })
})
