import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takenByCall, textsOf } from '../../../src/references/content/taken-over.ts'
import { type ProgramText, programText } from '../../../src/references/targets/program.ts'
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

  it('finds what a walk from character to character finds, whatever is left open', () => {
    const unit = fc.constantFrom('"', "'", '`', '\\', '/', '*', 'u', '0041', 'cmd:', '*** Begin Patch', 'x', ' ', '\n')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        const input = `tools.a(${text}`
        expect(programText(input)).toEqual(walked(input))
      }),
      { numRuns: 1000 },
    )
  })
})

/** The strings of a program, one character after the other. */
function walked(input: string): ProgramText {
  const commands: string[] = []
  const patches: string[] = []
  for (let at = 0; at < input.length; at++) {
    const mark = input.slice(at, at + 2)
    if (mark === '//') while (at < input.length && input[at] !== '\n') at++
    else if (mark === '/*') {
      at++
      while (at <= input.length && input.slice(at - 1, at + 1) !== '*/') at++
    } else if (/["'`]/.test(input[at] as string)) {
      const key = input.slice(Math.max(0, at - 40), at)
      const quote = input[at++]
      let text = ''
      for (; at < input.length && input[at] !== quote; at++) {
        if (input[at] !== '\\') text += input[at]
        else {
          const code = /^(?:u[\da-fA-F]{4}|x[\da-fA-F]{2})/.exec(input.slice(++at))?.[0]
          if (code === undefined) text += { n: '\n', 0: '\0', '\n': '' }[input[at] as string] ?? input[at] ?? ''
          else {
            text += String.fromCharCode(Number.parseInt(code.slice(1), 16))
            at += code.length - 1
          }
        }
      }
      if (text.includes('*** Begin Patch')) patches.push(text)
      else if (/(?:^|[{,\s])["']?(?:cmd|command)["']?\s*:\s*$/.test(key)) commands.push(text)
    }
  }
  return { commands, patches }
}
