/** What coding agents do when their context fills, in the order of their users. A policy is one file here and one line. */
import type { Policy } from '../policy.ts'
import claudeCodeAuto from './claude-code-auto.ts'
import claudeCodeMicrocompact from './claude-code-microcompact.ts'

export const agents: readonly Policy[] = [claudeCodeAuto, claudeCodeMicrocompact]
