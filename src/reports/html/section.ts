/** A part of a page under its own heading. */
import { type Child, type Element, element } from './element.ts'

export function section(id: string, title: string, ...children: readonly (Child | readonly Child[])[]): Element {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, title),
    children.flat(),
  )
}
