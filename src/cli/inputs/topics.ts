/**
 * The pages of docs/ in the order to read them: for `ctxwin help`, the completions and the sidebar of the site, none of
 * which opens a page to list it.
 */
export const topicGroups = { first: 'First', task: 'By task', reference: 'To look up' } as const

export interface Topic {
  /** That of its file in docs/, without the ending. */
  readonly name: string
  readonly group: keyof typeof topicGroups
  readonly summary: string
}

export const topics: readonly Topic[] = [
  { name: 'tutorial', group: 'first', summary: 'three walks: Claude Code, an agent of your own, prompts in CI' },
  { name: 'tables', group: 'first', summary: 'how to read what the commands print, column by column' },
  { name: 'faq', group: 'first', summary: 'what people ask' },
  { name: 'recommend', group: 'task', summary: 'what to set, how sure that is, and how to turn it on' },
  { name: 'choosing', group: 'task', summary: 'which policy fits which work' },
  { name: 'compose', group: 'task', summary: 'a policy of your own, of nine knobs or of other policies' },
  { name: 'tune', group: 'task', summary: 'a policy that is fitted to your sessions, and what it has to beat' },
  { name: 'probe', group: 'task', summary: 'ask a model whether it would have done the same, and what may be claimed' },
  { name: 'report', group: 'task', summary: 'the page to look at, and the picture of a session' },
  { name: 'spend', group: 'task', summary: 'what was billed, and why the cache missed' },
  { name: 'quality', group: 'task', summary: 'from which size on your agent works worse, and what counts as that' },
  { name: 'advise', group: 'task', summary: 'what a cut would cost now and later, while an agent runs' },
  { name: 'ci', group: 'task', summary: 'limits and baselines for every change' },
  { name: 'scale', group: 'task', summary: 'many cores, many machines' },
  { name: 'window', group: 'task', summary: 'the request that a policy would send' },
  { name: 'queries', group: 'task', summary: 'replays in a database, and what to ask it' },
  { name: 'convert', group: 'task', summary: 'transcripts in the forms of other programs' },
  { name: 'own-format', group: 'task', summary: 'a reader for transcripts that are not known' },
  { name: 'live', group: 'task', summary: 'the policy that was simulated, in your agent' },
  { name: 'turn-on', group: 'task', summary: 'the lines for the AI SDK, LangChain, pi, opencode and the APIs' },
  { name: 'library', group: 'task', summary: 'the same in a program of your own' },
  { name: 'privacy', group: 'reference', summary: 'what each output, cache and error may hold of a transcript' },
  { name: 'cli', group: 'reference', summary: 'settings, environment, exit codes, completions, the cache directory' },
  { name: 'formats', group: 'reference', summary: 'which transcripts are read, and where they are looked for' },
  { name: 'policies', group: 'reference', summary: 'every policy: what it prunes, when, and where it comes from' },
  { name: 'metrics', group: 'reference', summary: 'every figure, and how it is computed' },
  { name: 'cost', group: 'reference', summary: 'what pruning costs with the prompt cache' },
  { name: 'estimators', group: 'reference', summary: 'how tokens are counted, and how far off that is' },
  { name: 'references', group: 'reference', summary: 'how it is found what the agent used later' },
  { name: 'truth', group: 'reference', summary: 'how accurate the predictions are' },
  { name: 'licences', group: 'reference', summary: 'of ctxwin, and of what is installed with it' },
  { name: 'architecture', group: 'reference', summary: 'how ctxwin is built, and why so' },
]
