/** What is there to be copied: the text alone in a box, and the button that copies it. */
import { type Element, element } from './element.ts'

export function copyable(text: string): Element {
  return element(
    'span',
    { class: 'copyable' },
    element('code', {}, text),
    element('button', { type: 'button', 'data-copy': text }, 'Copy'),
  )
}
