/** The registry of policies, an explicit list: the systems, and the primitives that they are made of. */
import { Registry } from '../base/registry.ts'
import asRecorded from './as-recorded.ts'
import keepAll from './keep-all.ts'
import type { Policy } from './policy.ts'
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

export const systems: readonly Policy[] = [
  keepAll,
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
  asRecorded,
]

export const primitives: readonly Policy[] = [
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
  actorWindow,
  renderBudget,
]

export const policies = new Registry<Policy>('policy', [...systems, ...primitives])
