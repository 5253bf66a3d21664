/**
 * `snap-to-user`: a step after others in a composition. It drops everything in front of the first user message, because
 * providers expect a user message first (forge, "The first message after dropping is a user message"). It acts only
 * after a cut, and never empties the window. Law: sticky; it ignores the budget.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'

export function snapToUser(window: Window): void {
  const first = window.first
  if (!first || window.omitted === 0) return
  let user: Entry | null = first
  while (user && user.role !== 'user') user = user.next
  if (user?.previous) window.drop(first, user.previous)
}

export default definePolicy({
  name: 'snap-to-user',
  summary: 'after a cut, drop everything in front of the first user message',
  source: 'forge, Agent Context Sliding Window Compaction, verification criterion 2',
  monotone: true,
  part: true,
  start: () => ({ request: snapToUser }),
})
