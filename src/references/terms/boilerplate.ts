/**
 * Blocks that an agent's harness adds to messages. Their content is not from the user, the model or a tool, so they
 * have no terms. A block goes from `<tag …>` to the first `</tag>`; one that is never closed is ordinary text.
 */
import { wordsIn } from '../../base/words.ts'

export const boilerplateTags: readonly string[] = [
  // Claude Code and similar programs
  ...wordsIn('system-reminder system_reminder local-command-caveat command-message fast_mode_info'),
  // Codex
  'permissions instructions',
  ...wordsIn(`
    environment_context user_instructions collaboration_mode apps_instructions skills_instructions
    plugins_instructions recommended_plugins model_switch turn_aborted oai-mem-citation INSTRUCTIONS
  `),
  // Copilot CLI
  ...wordsIn('current_datetime custom_instruction available_skills system_notification'),
  // Cline, Roo, OpenHands
  ...wordsIn('environment_details EXTRA_INFO'),
]
