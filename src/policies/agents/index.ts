/** What coding agents do when their context fills, in the order of their users. A policy is one file here and one line. */
import type { Policy } from '../policy.ts'
import claudeCodeAuto from './claude-code-auto.ts'
import claudeCodeMicrocompact from './claude-code-microcompact.ts'
import codexCompact from './codex-compact.ts'
import geminiCompress from './gemini-compress.ts'
import geminiMask from './gemini-mask.ts'
import opencodeCompact from './opencode-compact.ts'
import opencodePrune from './opencode-prune.ts'
import piCompact from './pi-compact.ts'

export const agents: readonly Policy[] = [
  claudeCodeAuto,
  claudeCodeMicrocompact,
  codexCompact,
  geminiCompress,
  geminiMask,
  opencodePrune,
  opencodeCompact,
  piCompact,
]
