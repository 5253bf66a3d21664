/**
 * What the views of the page are made of: a tree that says which elements there are. A view makes one from data and touches
 * no document, so the same view can be drawn in a browser, written as SVG, and looked at by a test.
 */
export interface Element {
  readonly tag: string
  /** Left out where the value is null or false; an empty attribute where it is true. */
  readonly attributes: Readonly<Record<string, string | number | boolean | null>>
  readonly children: readonly Child[]
}

/** Text is shown as it is, and is never markup. */
export type Child = Element | string

export function element(
  tag: string,
  attributes: Element['attributes'] = {},
  ...children: readonly (Child | readonly Child[])[]
): Element {
  return { tag, attributes, children: children.flat() }
}
