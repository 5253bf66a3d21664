/**
 * A policy at work in an agent: the steps of a replay (src/simulator/stepper.ts), driven by messages as they come. What
 * an agent is given here is what `ctxwin history --request --at` shows of the same messages; test/live/ holds one to
 * the other.
 */
import type { Chosen } from '../base/chosen.ts'
import type { Meter, Scale } from '../estimators/estimator.ts'
import type { Message, Preamble, Usage } from '../model/message.ts'
import { bindsThoughts } from '../model/thoughts.ts'
import type { Trace, TranscriptHead } from '../model/trace.ts'
import {
  type CachePrices,
  keepsPairs,
  type Policy,
  type PolicyContext,
  type RestartableRun,
  started,
} from '../policies/policy.ts'
import { TraceBuilder } from '../readers/trace-builder.ts'
import type { InsideMessage } from '../simulator/contents.ts'
import { sizesOf } from '../simulator/sizes.ts'
import { type Acted, Stepper } from '../simulator/stepper.ts'
import { LiveSizes } from './tokens.ts'
import { AgentWindow } from './window.ts'

export interface RunSettings {
  readonly policy: Chosen<Policy>
  /** Tokens. */
  readonly budget: number
  readonly meter: Meter
  /** @param trace has no messages yet */
  readonly scale: (trace: Trace) => Scale
  readonly head: Pick<TranscriptHead, 'provider' | 'model' | 'cwd'>
  readonly preamble: Preamble
  /** Tokens of what stands in front of the messages; null: counted, or learned from usage. */
  readonly preambleTokens: number | null
  /** Null if unknown. */
  readonly cache: CachePrices | null
}

/** Tokens of a request before and after the policy has cut it. */
export interface LiveCut {
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export class LiveRun extends Stepper<AgentWindow> {
  declare readonly window: AgentWindow
  readonly #builder: TraceBuilder
  readonly #sizes: LiveSizes
  /** Milliseconds since the epoch; NaN if unknown. */
  #now = Number.NaN
  /** When the latest request went out. */
  #asked = Number.NaN
  #cut: LiveCut | null = null
  /** The latest exchange of which the policy knows that it is over. */
  #ended = -1
  /** Messages before the request that waits for its response; -1 where none does. */
  #waiting = -1
  /** Units of the latest request, without what stands in front of its messages. */
  #sentUnits = 0

  static begin({ policy, budget, meter, scale, head, preamble, preambleTokens, cache }: RunSettings): LiveRun {
    const { plugin } = policy
    const nameless = { file: 'history', conversation: null, format: 'live', parent: null, forkMessage: null }
    const builder = new TraceBuilder({ ...nameless, ...head }, [meter.message], true)
    builder.preamble = preamble
    const trace = builder.growing()
    const given = preambleTokens === null ? {} : { preamble: preambleTokens }
    const sizes = new LiveSizes(sizesOf(trace, 0, meter, scale(trace), given))
    const context: PolicyContext = {
      model: head.model,
      cwd: head.cwd,
      ...(cache && { cache }),
      systemMessages: preamble.system.length,
      ...{ compactions: [], clearings: [], recounts: [] },
      fileOf: () => null,
    }
    const kept = {
      keepsDropped: plugin.kind === 'view',
      keepsPairs: keepsPairs(plugin, policy.values),
      bindsThoughts: bindsThoughts(head.model) === true,
    }
    const window = new AgentWindow(trace, { budget, sent: sizes, believed: null, ...kept })
    return new LiveRun(trace, started(policy, context), window, builder, sizes)
  }

  private constructor(
    trace: Trace,
    policy: RestartableRun,
    window: AgentWindow,
    builder: TraceBuilder,
    sizes: LiveSizes,
  ) {
    super(trace, policy, window)
    this.#builder = builder
    this.#sizes = sizes
  }

  /**
   * The agent is about to tell what has come since its latest request.
   * @param at milliseconds since the epoch; NaN if unknown
   */
  wake(at: number): void {
    this.#now = at
    this.#cut = null
  }

  /** A message has come. One that begins a response was asked for: the policy has acted before it, or does so now. */
  message(message: Message): void {
    this.#builder.add(message)
    const index = this.trace.length - 1
    if (this.trace.isPrompt(index)) {
      this.#endExchange(index)
      this.exchange++
    }
    if (this.trace.isResponse(index)) {
      if (this.#waiting !== index) this.request()
      this.#waiting = -1
      this.requests++
    }
    this.#told(this.append(index))
  }

  /** The agent has given its final answer. Without being told so, the policy learns it from the next prompt. */
  idle(): void {
    this.#endExchange(this.trace.length)
  }

  /** What the provider counted for the latest response, which has come. */
  counted({ input }: Pick<Usage, 'input'>): void {
    this.window.addToPreamble(this.#sizes.learn(this.#sentUnits, input))
  }

  /** A request is about to go out. Asked again before another message came, the policy does not act a second time. */
  request(): void {
    const next = this.trace.length
    if (this.#waiting === next) return
    this.#told(this.prepare(next))
    this.#waiting = next
    this.#asked = this.#now
    this.#sentUnits = this.window.sentUnits - this.#sizes.preamble
  }

  /** What the policy has cut since the agent woke; null if nothing. */
  get cut(): LiveCut | null {
    return this.#cut
  }

  /** The messages of the request that would go out now. */
  get inside(): InsideMessage[] {
    return this.window.messages()
  }

  /** Message `index` of the history, as it came. */
  original(index: number): Message {
    return (this.trace.messages as readonly Message[])[index] as Message
  }

  protected override idleSeconds(): number | null {
    if (this.requests === 0) return null
    const seconds = (this.#now - this.#asked) / 1000
    return Number.isNaN(seconds) ? null : Math.max(0, seconds)
  }

  #endExchange(next: number): void {
    if (this.exchange === this.#ended || !this.hasEnded) return
    this.#ended = this.exchange
    this.#told(this.end(next))
  }

  #told(acted: readonly Acted[] | null): void {
    for (const one of acted ?? []) {
      if (one.kind !== 'cut') continue
      const { tokensBefore, tokensAfter } = one.cut
      this.#cut = { tokensBefore: this.#cut?.tokensBefore ?? tokensBefore, tokensAfter }
    }
  }
}
