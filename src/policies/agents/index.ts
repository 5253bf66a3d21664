/**
 * What coding agents do when their context fills, in the order of their users. A policy is one file here and one line.
 */
import type { PolicyWithCard } from '../catalogue/card.ts'
import aiderSummary from './aider-summary.ts'
import claudeCodeAuto from './claude-code-auto.ts'
import claudeCodeAutoBare from './claude-code-auto-bare.ts'
import claudeCodeMicrocompact from './claude-code-microcompact.ts'
import clineBasic from './cline-basic.ts'
import clineTruncate from './cline-truncate.ts'
import codexCompact from './codex-compact.ts'
import codexCompactLocal from './codex-compact-local.ts'
import codexReset from './codex-reset.ts'
import continueAuto from './continue-auto.ts'
import copilotCompact from './copilot-compact.ts'
import crushAuto from './crush-auto.ts'
import geminiCompress from './gemini-compress.ts'
import geminiContextManagement from './gemini-context-management.ts'
import geminiMask from './gemini-mask.ts'
import gooseAuto from './goose-auto.ts'
import gooseToolPairs from './goose-tool-pairs.ts'
import hermesCompact from './hermes-compact.ts'
import kiloCompact from './kilo-compact.ts'
import lettaSliding from './letta-sliding.ts'
import miniSweIngest from './mini-swe-ingest.ts'
import opencodeCompact from './opencode-compact.ts'
import opencodeCompactV2 from './opencode-compact-v2.ts'
import opencodePrune from './opencode-prune.ts'
import openhandsCondense from './openhands-condense.ts'
import openhandsMask from './openhands-mask.ts'
import piCompact from './pi-compact.ts'
import piCompactTurns from './pi-compact-turns.ts'
import rooTruncate from './roo-truncate.ts'
import sweAgentLastN from './swe-agent-last-n.ts'

export const agents: readonly PolicyWithCard[] = [
  claudeCodeAuto,
  claudeCodeAutoBare,
  claudeCodeMicrocompact,
  codexCompact,
  codexCompactLocal,
  codexReset,
  copilotCompact,
  geminiCompress,
  geminiContextManagement,
  geminiMask,
  opencodePrune,
  opencodeCompact,
  opencodeCompactV2,
  kiloCompact,
  piCompact,
  piCompactTurns,
  clineTruncate,
  clineBasic,
  rooTruncate,
  openhandsCondense,
  openhandsMask,
  sweAgentLastN,
  miniSweIngest,
  gooseAuto,
  gooseToolPairs,
  crushAuto,
  continueAuto,
  aiderSummary,
  lettaSliding,
  hermesCompact,
]
