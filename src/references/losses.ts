/** Counts of lost references while they are counted. */
export interface Counts {
  total: number
  mentionLost: number
  sourceLost: number
  selfSourced: number
}

export const none = (): Counts => ({ total: 0, mentionLost: 0, sourceLost: 0, selfSourced: 0 })
