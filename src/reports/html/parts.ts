/** What several views are made of. */
import { type Child, type Element, h, leaf } from './element.ts'
import { place } from './figures.ts'

/** Whose page it is. */
export const mark = (): Element => h('p.mark')(h('b')('ctxwin'))

/** @param selector of the list */
export const list = (selector: string, items: readonly Child[]): Element =>
  h(selector)(items.map((item) => h('li')(item)))

/** @param caption for those who do not see it; `''` for none */
export const table = (caption: string, head: readonly Child[], rows: readonly Element[]): Element =>
  h('table')(caption === '' ? [] : h('caption.hidden')(caption), h('thead')(h('tr')(head)), h('tbody')(rows))

/** The head of a table whose first column names the row; the others are figures. */
export const headOf = (words: readonly string[]): Element[] =>
  words.map((word, at) => h('th', { scope: 'col', class: at === 0 ? null : 'number' })(word))

/** A drawing as wide as its place, from 0 to 100. */
export const strip = (selector: string, ...drawn: readonly Element[]): Element =>
  h(selector, { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' })(drawn)

export const bar = (amount: number, most: number, selector = 'svg.bar'): Element =>
  strip(selector, leaf('rect', { x: 0, y: 0, width: most > 0 ? place((100 * amount) / most) : 0, height: 8 }))
