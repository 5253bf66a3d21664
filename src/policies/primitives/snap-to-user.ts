/**
 * `snap-to-user`: behind other steps of a composition: what stands in front of the first user message leaves, because a
 * provider wants a user's message first (forge, "The first message after dropping is a user message"). It only finishes
 * what a cut has begun, and never empties the window.
 * Law: sticky; it looks at no budget.
 */
import { definePolicy, type Entry, type Window } from '../policy.ts'

export function snapToUser(window: Window): void {
  const first = window.first
  if (!first || window.omitted === 0) return
  let user: Entry | null = first
  while (user && user.role !== 'user') user = user.next
  if (user?.previous) window.drop(first, user.previous)
}

export default definePolicy({
  name: 'snap-to-user',
  summary: 'after a cut, drop what stands in front of the first user message',
  source: 'forge, Agent Context Sliding Window Compaction, verification criterion 2',
  params: {},
  kind: 'sticky',
  monotone: true,
  wholePairs: false,
  part: true,
  text: false,
  start: () => ({ request: snapToUser }),
})
