/**
 * What the views of the page are made of: a tree that says which elements there are. A view makes one from data and
 * touches no document, so the same view can be drawn in a browser, written as SVG, and looked at by a test.
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

type Attributes = Element['attributes']

/**
 * Begins an element; the function that it returns takes the children. Texts and attributes are made harmless here.
 * Those of `pre` keep their lines.
 * @param selector a tag with its class and id, as in CSS: `p.quiet`, `div.tile.risk`, `p#spot.quiet`; they are written
 * in this order
 */
export function h(
  selector: string,
  attributes: Attributes = {},
): (...children: (Child | readonly Child[])[]) => Element {
  const shown = <Value>(value: Value) => (typeof value === 'string' ? safe(value) : value)
  const inLines = (child: Child) => (typeof child === 'string' ? child.split('\n').map(safe).join('\n') : child)
  const [name = '', ...marks] = selector.split(/(?=[.#])/)
  const named: Record<string, string> = {}
  for (const mark of marks) {
    const key = mark.startsWith('#') ? 'id' : 'class'
    named[key] = key in named ? `${named[key]} ${mark.slice(1)}` : mark.slice(1)
  }
  const all = Object.entries({ ...named, ...attributes }).map(([key, value]) => [key, shown(value)])
  return (...children) => ({
    tag: name,
    attributes: Object.fromEntries(all),
    children: children.flat().map(name === 'pre' ? inLines : shown),
  })
}

/** An element without children. */
export const leaf = (selector: string, attributes?: Attributes): Element => h(selector, attributes)()
