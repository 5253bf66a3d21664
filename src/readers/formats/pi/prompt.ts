/**
 * The system prompt and the tools, as pi records them since 0.86: each system message changes them. Its text is added, its
 * sections are set and taken away by name, and so are its tools. oh-my-pi records only the prompt, and that of sub-agents.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Block, Message, Preamble } from '../../../model/message.ts'
import { textBlocks } from '../../wire/blocks.ts'
import { contentOf } from '../../wire/pi.ts'

export class Prompt {
  #texts: Block[] = []
  readonly #sections = new Map<string, string>()
  readonly #tools = new Map<string, unknown>()
  #line: number | null = null
  #hasTools = false
  #isSent = false
  #changed = false

  /** A response came: what was recorded before it is what the first request was sent with. */
  sent(): void {
    this.#isSent = true
  }

  /**
   * Takes a change of the preamble. A change behind the first response is left out, and the preamble counts as incomplete
   * then, because requests differ in it.
   */
  system(message: JsonObject, line: number): void {
    if (this.#isSent) {
      this.#changed = true
      return
    }
    this.#line ??= line
    this.#hasTools = true
    this.#texts = this.#texts.concat(contentOf(message.content))
    for (const [name, text] of Object.entries(objectOf(message.sections) ?? {})) {
      if (typeof text === 'string') this.#sections.set(name, text)
      else this.#sections.delete(name)
    }
    for (const tool of itemsOf(message.toolsRemoved)) this.#tools.delete(nameOf(tool))
    for (const tool of itemsOf(message.toolsAdded)) this.#tools.set(nameOf(tool), tool)
  }

  /** @param prompt a text, or several */
  begin(prompt: unknown, line: number): void {
    this.#line ??= line
    this.#texts = this.#texts.concat((Array.isArray(prompt) ? prompt : [prompt]).flatMap(textBlocks))
  }

  get preamble(): Preamble {
    if (this.#line === null) return { system: [], complete: false }
    const blocks = [...this.#texts, ...[...this.#sections.values()].flatMap(textBlocks)]
    const system: Message[] = blocks.length === 0 ? [] : [{ role: 'system', line: this.#line, blocks }]
    if (!this.#hasTools) return { system, complete: false }
    return { system, tools: [...this.#tools.values()], complete: !this.#changed }
  }
}

function nameOf(tool: unknown): string {
  return stringOf(objectOf(tool)?.name) ?? ''
}
