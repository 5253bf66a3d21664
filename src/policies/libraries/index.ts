/**
 * What providers' APIs and libraries for agents do, in the order of their users. A policy is one file here and one
 * line.
 */
import type { PolicyWithCard } from '../catalogue/card.ts'
import adkToken from './adk-token.ts'
import adkTruncate from './adk-truncate.ts'
import anthropicClearThinking from './anthropic-clear-thinking.ts'
import anthropicClearToolUses from './anthropic-clear-tool-uses.ts'
import anthropicCompact from './anthropic-compact.ts'
import autogenBuffered from './autogen-buffered.ts'
import autogenHeadTail from './autogen-head-tail.ts'
import autogenTokenLimited from './autogen-token-limited.ts'
import deepagentsSummarize from './deepagents-summarize.ts'
import haystackWindow from './haystack-window.ts'
import langchainClearToolUses from './langchain-clear-tool-uses.ts'
import langchainSummarize from './langchain-summarize.ts'
import langchainTrim from './langchain-trim.ts'
import llamaindexBuffer from './llamaindex-buffer.ts'
import mastraLimiter from './mastra-limiter.ts'
import mastraObservational from './mastra-observational.ts'
import openaiCompact from './openai-compact.ts'
import openaiToolTrimmer from './openai-tool-trimmer.ts'
import openaiTruncation from './openai-truncation.ts'
import semanticKernelTruncate from './semantic-kernel-truncate.ts'
import springWindow from './spring-window.ts'
import strandsWindow from './strands-window.ts'
import vercelPrune from './vercel-prune.ts'

export const libraries: readonly PolicyWithCard[] = [
  anthropicClearToolUses,
  anthropicClearThinking,
  anthropicCompact,
  openaiTruncation,
  openaiCompact,
  openaiToolTrimmer,
  langchainTrim,
  langchainClearToolUses,
  langchainSummarize,
  deepagentsSummarize,
  vercelPrune,
  strandsWindow,
  mastraLimiter,
  mastraObservational,
  autogenBuffered,
  autogenHeadTail,
  autogenTokenLimited,
  semanticKernelTruncate,
  springWindow,
  haystackWindow,
  llamaindexBuffer,
  adkTruncate,
  adkToken,
]
