/** What is there to be copied: the text alone in a box, and the button that copies it. */
import { safe } from '../../base/quoting.ts'
import { type Element, element } from './element.ts'

export function copyable(text: string): Element {
  const shown = safe(text)
  return element(
    'span',
    { class: 'copyable' },
    element('code', {}, shown),
    element('button', { type: 'button', 'data-copy': shown }, 'Copy'),
  )
}
