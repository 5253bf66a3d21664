import { describe, expect, it } from 'vitest'
import { failedIn, sessionsOf } from './quality-sessions.ts'

describe('judged', () => {
  it('finds none in 95 of 100 sets of sessions without one', () => {
    const found = Array.from({ length: 100 }, (_, seed) =>
      failedIn(
        sessionsOf(14, seed + 1, () => 0.05),
        seed,
      ),
    )
    expect(found.filter(({ bands }) => bands.some(({ low }) => low !== null))).toHaveLength(100)
    expect(found.filter(({ risesFrom }) => risesFrom !== null).length).toBeLessThanOrEqual(5)
  })
})
