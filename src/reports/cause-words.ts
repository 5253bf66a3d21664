/** Why the cache missed, in words behind "because". */
import type { MissCause } from '../model/spending.ts'

export const causeWords: Readonly<Record<MissCause, string>> = {
  compaction: 'the agent compacted',
  idle: 'the pause was longer than the cache lives',
  'model-switch': 'the model was switched',
  resume: 'the session was taken up again',
  edit: 'the agent changed what it had sent',
  'changed-head': 'the head had changed',
  unexplained: 'of something that is not recorded',
}
