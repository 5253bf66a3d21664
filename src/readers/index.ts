/** The readers there are. The list is explicit: what is not here does not exist. */
import { Registry } from '../registry.ts'
import anthropicMessages from './anthropic-messages.ts'
import claudeCode from './claude-code.ts'
import codex from './codex.ts'
import duragent from './duragent.ts'
import forge from './forge.ts'
import ikigai from './ikigai.ts'
import mimir from './mimir.ts'
import openaiChat from './openai-chat.ts'
import opencode from './opencode.ts'
import pi from './pi.ts'
import type { Reader } from './reader.ts'

export const readers = new Registry<Reader>('format', [
  claudeCode,
  codex,
  openaiChat,
  anthropicMessages,
  ikigai,
  duragent,
  forge,
  mimir,
  opencode,
  pi,
])
