/** Mimir, "Context Window Management", sentence by sentence: the numbers are those of statements.data.json. */
import { expect, it } from 'vitest'
import { requests, Talk } from '../policies/requests.ts'
import { assistant, simulated, user } from './run.ts'

it('leaves what has exactly 80 % of the context', () => {
  const talk = new Talk()
  for (let index = 0; index < 6; index++) talk.user('q'.repeat(10)).assistant('a'.repeat(10))
  // The last request has five exchanges and a question: 110.
  const last = (budget: number) => requests('mimir', talk.messages, { budget }).at(-1)!
  expect(last(137.5)).toHaveLength(11)
  expect(last(137)[0]).toMatch(/^system: \[Context note: /)
})

it('has 128,000 tokens where no budget is given', async () => {
  const { budget } = await simulated(['--policy', 'mimir'], [user('one'), assistant('1')])
  expect(budget).toBe(128_000)
})

it('goes by a share of the model’s window where it is asked to', async () => {
  const rows = [user('one'), { ...assistant('1'), model: 'claude-sonnet-4-5' }]
  const { budget } = await simulated(['--policy', 'mimir', '--budget', '100%'], rows)
  expect(budget).toBe(200_000)
})
