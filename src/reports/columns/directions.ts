/** Which direction of a figure is better. */
export const lower = { better: 'lower' } as const
export const higher = { better: 'higher' } as const
