/** A part of a page under its own heading. */
import { type Child, type Element, h } from './element.ts'

export const section = (id: string, title: string, ...children: readonly (Child | readonly Child[])[]): Element =>
  h('section', { id, 'aria-labelledby': `${id}-title` })(h('h2', { id: `${id}-title` })(title), children.flat())
