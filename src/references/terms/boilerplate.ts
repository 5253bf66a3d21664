/**
 * Blocks that an agent's harness adds to messages. Their content is not from the user, the model or a tool, so they have no
 * terms. A block goes from `<tag …>` to the first `</tag>`; one that is never closed is ordinary text.
 */
export const boilerplateTags: readonly string[] = [
  // Claude Code and similar programs
  'system-reminder',
  'system_reminder',
  'local-command-caveat',
  'command-message',
  'fast_mode_info',
  // Codex
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'collaboration_mode',
  'apps_instructions',
  'skills_instructions',
  'plugins_instructions',
  'recommended_plugins',
  'model_switch',
  'turn_aborted',
  'oai-mem-citation',
  'INSTRUCTIONS',
  // Copilot CLI
  'current_datetime',
  'custom_instruction',
  'available_skills',
  'system_notification',
  // Cline, Roo, OpenHands
  'environment_details',
  'EXTRA_INFO',
]

const byFirstLetter = new Map<number, string[]>()
for (const tag of boilerplateTags) {
  const first = tag.charCodeAt(0)
  byFirstLetter.set(first, [...(byFirstLetter.get(first) ?? []), tag])
}

/**
 * A finder for one text: takes the position of a `<`, returns the end of the boilerplate block that opens there, or -1. It
 * remembers tags without a closing tag in the rest of the text, so a text full of opening tags takes linear time.
 */
export function boilerplateFinder(text: string): (at: number) => number {
  let unclosed: Set<string> | null = null
  return (at) => {
    const tags = at + 1 < text.length ? byFirstLetter.get(text.charCodeAt(at + 1)) : undefined
    if (tags === undefined) return -1
    for (const tag of tags) {
      const after = at + 1 + tag.length
      if (!text.startsWith(tag, at + 1) || unclosed?.has(tag)) continue
      const next = text.charAt(after)
      if (next !== '>' && next !== ' ' && next !== '\n') continue
      const close = text.indexOf(`</${tag}>`, after)
      if (close >= 0) return close + tag.length + 3
      unclosed ??= new Set()
      unclosed.add(tag)
    }
    return -1
  }
}
