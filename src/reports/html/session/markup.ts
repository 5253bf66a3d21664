/** Writes SVG as text. Words of a transcript pass through here, so none of them can become markup. */
import { safe, xml } from '../../../base/quoting.ts'
import { clip } from '../../text.ts'

type Attributes = Readonly<Record<string, string | number | null>>

/** An element; attributes that are null are left out. @param content markup, not text */
export function tag(name: string, attributes: Attributes, content = ''): string {
  const list = Object.entries(attributes)
    .map(([key, value]) => (value === null ? '' : ` ${key}="${xml(typeof value === 'number' ? short(value) : value)}"`))
    .join('')
  return content === '' ? `<${name}${list}/>` : `<${name}${list}>${content}</${name}>`
}

/** Words as an element's text: one line, visible characters only, clipped to `most` cells. */
export function text(words: string, most = 300): string {
  // Only the beginning is read, because a name may be megabytes.
  return xml(clip(safe(words.slice(0, most * 16)), most))
}

/** Words of a transcript inside other words, isolated so that right-to-left text does not turn the rest around. */
export const isolated = (words: string, most: number): string => `<tspan class="words">${text(words, most)}</tspan>`

/** A length: tenths of a pixel are enough. */
export const short = (value: number): string => String(Math.round(value * 10) / 10)
