import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takenByCall, textsOf } from '../../../src/references/content/taken-over.ts'
import { programText } from '../../../src/references/targets/program.ts'
import { toolTargets } from '../../../src/references/targets/tool-target.ts'

const program = [
  "// It's two at once.",
  'const results = await Promise.all([',
  '  tools.exec_command({cmd:"sed -n \'1,20p\' src/a.ts",workdir:"/app"}),',
  '  tools.exec_command({',
  "    'command': 'cat \"src/b c.ts\"',",
  '  }),',
  '])',
].join('\n')

describe('a program that calls tools', () => {
  it('says by its strings what it reads', () => {
    expect(programText(program)).toEqual({
      commands: ["sed -n '1,20p' src/a.ts", 'cat "src/b c.ts"'],
      patches: [],
    })
    expect(toolTargets('exec', program)).toEqual([
      ...toolTargets('exec', { cmd: "sed -n '1,20p' src/a.ts" }),
      ...toolTargets('exec', { cmd: 'cat "src/b c.ts"' }),
    ])
    expect(toolTargets('exec', program).map(({ target }) => target)).toEqual(['src/a.ts', 'src/b c.ts'])
  })

  it('says what it changes, and copies what a patch copies', () => {
    const patch =
      '*** Begin Patch\n*** Update File: src/a.ts\n@@\n const old = "text"\n-const gone = 1\n+const come = 2\n*** End Patch'
    for (const written of [JSON.stringify(patch), `\`${patch}\``]) {
      const input = `const patch = ${written};\ntext(await tools.apply_patch(patch));\n`
      expect(toolTargets('exec', input)).toEqual(toolTargets('apply_patch', patch))
      expect(takenByCall(textsOf(input), toolTargets('exec', input))).toEqual([
        { target: 'src/a.ts', text: ' const old = "text"\n-const gone = 1' },
      ])
    }
  })

  it('is told from a command of a shell, and from JSON', () => {
    expect(programText('ls tools.d')).toBeNull()
    expect(programText({ cmd: 'cat tools.x(' })).toBeNull()
    expect(toolTargets('exec', 'cat src/a.ts')).toEqual(toolTargets('exec', { cmd: 'cat src/a.ts' }))
  })

  it('gives back every command, however it is quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), fc.boolean(), (texts, named) => {
        const calls = texts.map(
          (text) => `tools.exec_command({${named ? '"cmd"' : 'cmd'}: ${JSON.stringify(text)}, n: 1})`,
        )
        const found = programText(`await Promise.all([${calls.join(', ')}])`)
        expect(found?.commands ?? []).toEqual(texts.filter((text) => !text.includes('*** Begin Patch')))
      }),
    )
  })

  it('never throws, whatever is left open', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "'", '`', '\\', '/', '*', 'u', '4', 'cmd:', 'x', '\n') }),
        (text) => {
          programText(`tools.a(${text}`)
        },
      ),
    )
  })
})
