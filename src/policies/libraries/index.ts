/** What providers' APIs and libraries for agents do, in the order of their users. A policy is one file here and one line. */
import type { Policy } from '../policy.ts'
import langchainClearToolUses from './langchain-clear-tool-uses.ts'
import langchainSummarize from './langchain-summarize.ts'
import langchainTrim from './langchain-trim.ts'
import vercelPrune from './vercel-prune.ts'

export const libraries: readonly Policy[] = [langchainTrim, langchainClearToolUses, langchainSummarize, vercelPrune]
