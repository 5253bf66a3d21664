/** What is there to be copied: the text alone in a box, and the button that copies it. */
import { type Element, h } from './element.ts'

export const copyable = (text: string): Element =>
  h('span.copyable')(h('code')(text), h('button', { type: 'button', 'data-copy': text })('Copy'))
