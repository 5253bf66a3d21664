/**
 * What the views of the page are made of: a tree that says which elements there are. A view makes one from data and touches
 * no document, so the same view can be drawn in a browser, written as SVG, and looked at by a test.
 */
import { safe } from '../../base/quoting.ts'

export interface Element {
  readonly tag: string
  /** Left out where the value is null or false; an empty attribute where it is true. */
  readonly attributes: Readonly<Record<string, string | number | boolean | null>>
  readonly children: readonly Child[]
}

/** Text is never markup. */
export type Child = Element | string

/** Texts and attributes are made harmless here. Those of `pre` keep their lines. */
export function element(
  tag: string,
  attributes: Element['attributes'] = {},
  ...children: readonly (Child | readonly Child[])[]
): Element {
  const shown = <Value>(value: Value) => (typeof value === 'string' ? safe(value) : value)
  const inLines = (child: Child) => (typeof child === 'string' ? child.split('\n').map(safe).join('\n') : child)
  return {
    tag,
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, shown(value)])),
    children: children.flat().map(tag === 'pre' ? inLines : shown),
  }
}
