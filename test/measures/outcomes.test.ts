/** What became of calls: by the words of each program, and whatever is taken back while a session is read. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { became, factsOf, Outcomes } from '../../src/measures/outcomes.ts'
import { ToolNames } from '../../src/measures/tool-names.ts'
import type { Message } from '../../src/model/message.ts'
import { messages } from '../simulator/arbitrary.ts'
import { addTo, outcomesOf } from './outcomes-of.ts'

const result = (text: string, isError = false): Message => ({
  role: 'tool',
  line: 1,
  callId: 'c',
  blocks: [{ type: 'text', text }],
  ...(isError && { isError }),
})
const said = (text: string, origin?: 'queued' | 'injected'): Message => ({
  role: 'user',
  line: 1,
  blocks: [{ type: 'text', text }],
  ...(origin && { origin }),
})
const { failed, missed, rejected, undone, interrupted, corrected } = became

describe('what became of a call', () => {
  it.each<[program: string, message: Message, facts: number]>([
    ['Claude Code', result('Exit code 1\nno such file', true), failed],
    ['Claude Code', result('<tool_use_error>String to replace not found in file.', true), failed | missed],
    ['Claude Code', result('<tool_use_error>File has not been read yet. Read it first', true), failed | missed],
    ['Claude Code', result('<tool_use_error>File has been modified since read, either', true), failed | missed],
    ['Claude Code', result('String to replace not found in file.'), 0],
    ['Claude Code', result("The user doesn't want to proceed with this tool use. The tool", true), rejected],
    ['Claude Code', result('<tool_use_error>Sibling tool call errored</tool_use_error>', true), undone],
    ['Claude Code', said('[Request interrupted by user]', 'injected'), interrupted],
    ['Claude Code', said('[Request interrupted by user for tool use]', 'injected'), 0],
    ['Codex', result('Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n'), 0],
    ['Codex', result('Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 128\nOutput:\n'), failed],
    ['Codex', result('Exit code: 1\nWall time: 0 seconds\nOutput:\n'), failed],
    ['Codex', result('{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}'), 0],
    ['Codex', result('{"output":"a","metadata":{"exit_code":2,"duration_seconds":0.1}}'), failed],
    ['Codex', result('apply_patch verification failed: Failed to find expected lines in /a'), failed | missed],
    ['Codex', result('Script failed\nOutput:\nScript error: apply_patch verification failed'), failed],
    ['Codex', result('exec command rejected by user'), rejected],
    ['Codex', result('aborted by user after 31.2s'), undone | interrupted],
    ['Codex', said('<turn_aborted> The user interrupted', 'injected'), interrupted],
    ['opencode', result('The user rejected permission to use this specific tool call.', true), rejected],
    ['pi', result('Could not find the exact text in a.ts. The old text', true), failed | missed],
    ['pi', result('Operation aborted', true), undone | interrupted],
    ['Gemini CLI', result('[Operation Cancelled] Reason: User denied execution.', true), rejected],
    ['Cline', result('The user denied this operation.'), rejected],
    ['a file that is read', result('1  // Process exited with code 1 is what Codex says'), 0],
  ])('%s', (_, message, facts) => {
    expect(factsOf(message)).toBe(facts)
  })

  it.each<[text: string, is: boolean]>([
    ['No, the other file', true],
    ['no problem, go on', false],
    ['That’s not what I asked for', true],
    ['Undo that', true],
    ['you forgot the tests', true],
    ['It still fails', true],
    ['Now write the docs', false],
    ['Notes are in docs/', false],
  ])('takes “%s” for a correction: %s', (text, is) => {
    expect(factsOf(said(text))).toBe(is ? corrected : 0)
    expect(factsOf(said(text, 'queued'))).toBe(is ? corrected : 0)
    expect(factsOf(said(text, 'injected'))).toBe(0)
  })
})

describe('what is taken back', () => {
  it('leaves what reading only the rest gives', () => {
    fc.assert(
      fc.property(messages, fc.nat(60), messages, (first, kept, then) => {
        const taken = outcomesOf(first)
        taken.rewind(Math.min(kept, first.length))
        taken.tools.rewind(Math.min(kept, first.length))
        addTo(taken, then)
        const fresh = outcomesOf([...first.slice(0, kept), ...then])
        // A name that nobody calls any more keeps its number.
        const told = (one: Outcomes) =>
          [...first.slice(0, kept), ...then].flatMap((_, at) => [
            one.facts(at),
            ...Array.from({ length: 3 }, (__, nth) => one.tools.name(one.tools.callsBefore(at) + nth)),
            one.input(one.tools.callsBefore(at)),
            one.isEdit(one.tools.callsBefore(at)),
          ])
        expect(told(taken)).toEqual(told(fresh))
        const revived = new Outcomes(
          new ToolNames(structuredClone(taken.tools.plain())),
          structuredClone(taken.plain()),
        )
        expect(told(revived)).toEqual(told(fresh))
      }),
    )
  })
})
