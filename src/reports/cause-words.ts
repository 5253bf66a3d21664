/** Why the cache missed, in words behind "Main cause:". */
import type { MissCause } from '../model/spending.ts'

export const causeWords: Readonly<Record<MissCause, string>> = {
  compaction: 'the agent compacted',
  idle: 'the pause was longer than the cache lives',
  'model-switch': 'the model was switched',
  resume: 'the session was resumed',
  edit: 'the agent changed what it had sent before',
  'changed-head': 'the system prompt or the tools had changed',
  unexplained: 'unexplained',
}
