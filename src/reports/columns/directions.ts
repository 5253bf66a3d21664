import type { Field } from '../column.ts'

/** Which direction of a figure is better. */
export const lower = { better: 'lower' } as const
export const higher = { better: 'higher' } as const

/** Fields of which less is better, unless one says otherwise. */
export const lessIsBetter = <T>(fields: readonly Field<T>[]): Field<T>[] =>
  fields.map((field) => ({ ...lower, ...field }))
