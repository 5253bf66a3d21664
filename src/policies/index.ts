/**
 * The registry of policies, in groups: what agents, APIs and libraries do, what the documents describe, and the
 * primitives that all of that is made of.
 */
import { Registry } from '../base/registry.ts'
import { agents } from './agents/index.ts'
import asRecorded from './as-recorded.ts'
import type { PolicyWithCard } from './catalogue/card.ts'
import clairvoyant from './clairvoyant.ts'
import keepAll from './keep-all.ts'
import knobs from './knobs/knobs.ts'
import { libraries } from './libraries/index.ts'
import actorWindow from './primitives/actor-window.ts'
import capMessages from './primitives/cap-messages.ts'
import dropMessages from './primitives/drop-messages.ts'
import dropOldest from './primitives/drop-oldest.ts'
import dropSteps from './primitives/drop-steps.ts'
import fillNewest from './primitives/fill-newest.ts'
import insertNotice from './primitives/insert-notice.ts'
import keepPairs from './primitives/keep-pairs.ts'
import maskToolResults from './primitives/mask-tool-results.ts'
import renderBudget from './primitives/render-budget.ts'
import snapToUser from './primitives/snap-to-user.ts'
import summariseOldest from './primitives/summarise-oldest.ts'
import truncateToolResults from './primitives/truncate-tool-results.ts'
import duragent from './systems/duragent.ts'
import duragentShipped from './systems/duragent-shipped.ts'
import exchange from './systems/exchange.ts'
import forge from './systems/forge.ts'
import forgeLiteral from './systems/forge-literal.ts'
import forgePr616 from './systems/forge-pr616.ts'
import forgeShipped from './systems/forge-shipped.ts'
import ikigai from './systems/ikigai.ts'
import ikigaiShipped from './systems/ikigai-shipped.ts'
import mimir from './systems/mimir.ts'
import mimirShipped from './systems/mimir-shipped.ts'

export { ownBudgetWords, turnOnOf } from './catalogue/card.ts'

export interface PolicyGroup {
  readonly key: string
  readonly title: string
  readonly policies: readonly PolicyWithCard[]
}

export const policyGroups: readonly PolicyGroup[] = [
  { key: 'baselines', title: 'To compare with', policies: [keepAll, asRecorded, clairvoyant] },
  { key: 'agents', title: 'What coding agents do', policies: agents },
  { key: 'libraries', title: 'What APIs and libraries do', policies: libraries },
  {
    key: 'systems',
    title: 'What the documents describe, and their programs shipped',
    policies: [
      ikigai,
      exchange,
      forge,
      duragent,
      mimir,
      ikigaiShipped,
      forgeLiteral,
      forgePr616,
      forgeShipped,
      duragentShipped,
      mimirShipped,
    ],
  },
  {
    key: 'primitives',
    title: 'Primitives, to compose your own from',
    policies: [
      dropOldest,
      dropMessages,
      dropSteps,
      capMessages,
      fillNewest,
      truncateToolResults,
      maskToolResults,
      summariseOldest,
      insertNotice,
      snapToUser,
      keepPairs,
      knobs,
      actorWindow,
      renderBudget,
    ],
  },
]

export const policies = new Registry<PolicyWithCard>(
  'policy',
  policyGroups.flatMap(({ policies }) => policies),
  'ctxwin list policies shows all',
)
