/**
 * The pages of docs/ in the order to read them: for `ctxwin help`, the completions, README's list of pages and the
 * sidebar of the site, none of which opens a page to list it.
 */
export const topicGroups = {
  start: 'Start',
  answer: 'Read the answer',
  ship: 'Ship it',
  reference: 'Look up',
  inside: 'Inside',
} as const

export interface Topic {
  /** That of its file in docs/, without the ending. */
  readonly name: string
  readonly group: keyof typeof topicGroups
  readonly summary: string
}

export const topics: readonly Topic[] = [
  { name: 'tutorial', group: 'start', summary: 'three walks: Claude Code, an agent of your own, prompts in CI' },
  { name: 'faq', group: 'start', summary: 'what people ask' },
  { name: 'choosing', group: 'start', summary: 'compare policies on one session, and read the result' },
  { name: 'tables', group: 'answer', summary: 'what the commands print, column by column' },
  { name: 'recommend', group: 'answer', summary: 'what to set, how sure that is, and whether it paid' },
  { name: 'spend', group: 'answer', summary: 'what was billed, where it went, and why the cache missed' },
  { name: 'history', group: 'answer', summary: 'one session: its cost, its window and its picture' },
  { name: 'report', group: 'answer', summary: 'all of it as one HTML page' },
  { name: 'quality', group: 'answer', summary: 'from which window size on your agent works worse' },
  { name: 'references', group: 'answer', summary: 'what counts as used later, and as lost' },
  { name: 'cost', group: 'answer', summary: 'how money is computed with the prompt cache' },
  { name: 'metrics', group: 'answer', summary: 'every figure, and how it is computed' },
  { name: 'truth', group: 'answer', summary: 'how accurate the predictions are' },
  { name: 'tune', group: 'ship', summary: 'fit a policy to your sessions' },
  { name: 'probe', group: 'ship', summary: 'ask a model whether it would have done the same' },
  { name: 'turn-on', group: 'ship', summary: 'the lines for the APIs, and for libraries and agents' },
  { name: 'live', group: 'ship', summary: 'run the simulated policy in your agent' },
  { name: 'compose', group: 'ship', summary: 'put a policy together from nine knobs' },
  { name: 'policies', group: 'ship', summary: 'every policy: what it prunes, when, and where it comes from' },
  { name: 'documents', group: 'ship', summary: 'what the five design documents say, and which test holds it' },
  { name: 'advise', group: 'ship', summary: 'ask a running session whether a cut pays now' },
  { name: 'ci', group: 'ship', summary: 'limits and baselines that fail a build' },
  { name: 'cli', group: 'reference', summary: 'settings, environment, exit codes, completions, the cache directory' },
  { name: 'formats', group: 'reference', summary: 'which transcripts are read, and where ctxwin looks for them' },
  { name: 'own-format', group: 'reference', summary: 'write a reader for a format that is not known' },
  { name: 'estimators', group: 'reference', summary: 'how tokens are counted, and how far off that is' },
  { name: 'library', group: 'reference', summary: 'use ctxwin in a program of your own' },
  { name: 'window', group: 'reference', summary: 'print the request that a policy would send' },
  { name: 'convert', group: 'reference', summary: 'write transcripts in the forms of other programs' },
  { name: 'queries', group: 'reference', summary: 'put replays into a database, and query them' },
  { name: 'privacy', group: 'reference', summary: 'what each output, cache and error may hold of a transcript' },
  { name: 'architecture', group: 'inside', summary: 'how ctxwin is built, and why so' },
  { name: 'scale', group: 'inside', summary: 'many processors, many machines, and how long a run takes' },
  { name: 'licences', group: 'inside', summary: 'of ctxwin, and of what is installed with it' },
]
