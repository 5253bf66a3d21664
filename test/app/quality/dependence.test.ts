import { expect, test } from 'vitest'
import { choose, estimators, policies } from '../../../src/app/index.ts'
import { digestFor, firstCell, type Plan, sizersFor } from '../../../src/app/plan.ts'
import { dependenceOf } from '../../../src/app/quality/dependence.ts'
import type { Message } from '../../../src/model/message.ts'
import { TraceBuilder } from '../../../src/readers/trace-builder.ts'
import { headOf } from '../../simulator/arbitrary.ts'

const [first, second] = ['export function first(one: number) {', 'export function second(two: number) {']
const edit = (old: string): Message['blocks'] => [
  { type: 'call', id: `edit ${old}`, name: 'Edit', input: { file_path: 'src/a.ts', old_string: old, new_string: 'x' } },
]
const say = (role: Message['role'], text: string): Message => ({ role, line: 0, blocks: [{ type: 'text', text }] })

/** One line is shown at the beginning, the other right before the edits; the messages between fill the window. */
function traceOf(edits: readonly Message['blocks'][]) {
  const head = { ...headOf('openai'), file: 'a.jsonl' }
  const builder = new TraceBuilder(head, sizersFor(plan)(head), true, digestFor(plan).of(head))
  builder.preamble = { system: [], complete: true }
  const messages = [
    say('user', `It reads\n    12→${first}`),
    say('assistant', 'x'.repeat(4000)),
    say('user', `and\n+${second}`),
    ...edits.flatMap((blocks): Message[] => [{ role: 'assistant', line: 0, blocks }]),
  ]
  for (const [index, message] of messages.entries()) builder.add({ ...message, line: index + 1 })
  return builder.build()
}

const plan: Plan = {
  policies: [choose(policies.get('drop-messages'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [500],
  references: true,
}

test('an edit is judged by where its old text stood in the window that went out', () => {
  const trace = traceOf([
    edit(`  ${first}`),
    edit(second),
    edit(`${second}\nno line that stood there before\n`),
    edit('new'),
  ])
  expect(dependenceOf(firstCell(trace, plan))).toEqual({
    outside: { edits: 1, reported: 1 },
    inside: { edits: 2, reported: 0 },
    part: { edits: 0, reported: 0 },
  })
})

test('text that is inside in part is neither', () => {
  expect(dependenceOf(firstCell(traceOf([edit(`${first}\n${second}`)]), plan))).toEqual({
    outside: { edits: 0, reported: 0 },
    inside: { edits: 0, reported: 0 },
    part: { edits: 1, reported: 0 },
  })
})

test('the lines that a patch takes from the file are its old text', () => {
  const patch = `*** Begin Patch\n*** Update File: src/a.ts\n@@\n ${first}\n+${second}\n*** End Patch`
  const call = { type: 'call' as const, id: 'c', name: 'apply_patch', input: patch }
  expect(dependenceOf(firstCell(traceOf([[call]]), plan)).outside).toEqual({ edits: 1, reported: 1 })
})
