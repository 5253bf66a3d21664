/**
 * How large the hidden preamble of a program usually is: what its requests hold in front of the messages that a transcript
 * does not record (system prompt, tools). It is a distribution, log-normal and as wide as what it rests on: first the
 * user's own other sessions, then sessions that others published (`tools/fit/preambles.mjs`). A mean that leans towards that
 * of a larger group, the more the fewer speak, is empirical Bayes: Efron and Morris, "Stein's paradox in statistics", 1977.
 */
import { studentReach } from '../base/student.ts'
import type { Trace } from '../model/trace.ts'
import { preambles } from './preambles.data.ts'
import type { UsualPreamble } from './table.ts'

/** What is known of a transcript whose preamble is not. */
export interface PreambleOf {
  readonly program: string
  readonly version?: string | undefined
  /** A sub-agent has other instructions and fewer tools. */
  readonly agent: 'main' | 'sub'
  /** The transcript has the system prompt: what is hidden is the rest. */
  readonly recorded: boolean
}

/** A distribution of hidden tokens. */
export interface PreamblePrior {
  /** The median. */
  readonly tokens: number
  /** The standard deviation of their natural logarithm. */
  readonly sd: number
  /** Degrees of freedom of Student's t, by which a session lies off the median. */
  readonly degrees: number
  /** Whose sessions tell: the user's own, those of the program, or of all programs because nobody published any of this one. */
  readonly basis: 'own' | 'program' | 'all'
  readonly sessions: number
}

/** What is known of a transcript whose preamble is not. */
export function preambleOf({ head, preamble }: Pick<Trace, 'head' | 'preamble'>): PreambleOf {
  const { format: program, version, parent } = head
  return { program, version, agent: parent === null ? 'main' : 'sub', recorded: preamble.system.length > 0 }
}

/** @param own hidden tokens of the user's own sessions of the program that recorded usage, those of the nearest versions */
export function priorPreamble(
  of: PreambleOf,
  own: readonly number[] = [],
  table: readonly UsualPreamble[] = preambles.table,
): PreamblePrior {
  const usual = usualOf(of, table)
  const { between, within, degrees } = usual
  if (own.length === 0) {
    const basis = usual.program === null ? 'all' : 'program'
    return { tokens: usual.tokens, sd: Math.hypot(between, within), degrees, basis, sessions: usual.sessions }
  }
  // The user's own mean is one of the owners': each session tells of it with the spread of sessions.
  const precision = 1 / between ** 2 + own.length / within ** 2
  const sum = own.reduce((total, tokens) => total + Math.log(Math.max(1, tokens)), 0)
  return {
    tokens: Math.exp((Math.log(usual.tokens) / between ** 2 + sum / within ** 2) / precision),
    sd: Math.hypot(1 / Math.sqrt(precision), within),
    degrees: degrees + own.length,
    basis: 'own',
    sessions: own.length,
  }
}

/** Where nine of ten sessions lie. */
export function ninetyPercent({ tokens, sd, degrees }: PreamblePrior): { readonly low: number; readonly high: number } {
  const reach = Math.exp(studentReach(degrees, 0.9) * sd)
  return { low: tokens / reach, high: tokens * reach }
}

/** A session that recorded usage, and what that tells: tokens of its hidden preamble. */
export interface KnownPreamble {
  readonly of: PreambleOf
  readonly tokens: number
}

/** Those of the sessions that tell most of another: of the same program and kind of agent, and the nearest versions. */
export function ownPreambles(of: PreambleOf, known: readonly KnownPreamble[]): number[] {
  const alike = known.filter(
    ({ of: { program, agent, recorded } }) => program === of.program && agent === of.agent && recorded === of.recorded,
  )
  const near = of.version === undefined ? alike : nearest(alike, of.version, (one) => one.of.version)
  return near.map(({ tokens }) => tokens)
}

/** The row of the program, of its main or sub-agents, and of the version, as far as there are such rows. */
function usualOf({ program, version, agent, recorded }: PreambleOf, table: readonly UsualPreamble[]): UsualPreamble {
  const known = table.filter((row) => row.program === program && row.recorded === recorded)
  const [whole, ...byVersion] = known.filter((row) => row.agent === agent)
  const near = version === undefined ? [] : nearest(byVersion, version, ({ from }) => from)
  return near[0] ?? whole ?? known[0] ?? table.at(-1)!
}

/** Those of the latest version that is not later than this one, else of the earliest. Versions are taken together by ten. */
function nearest<Of>(all: readonly Of[], version: string, versionOf: (of: Of) => string | null | undefined): Of[] {
  const at = decadeOf(version)
  const decade = (one: Of): number => decadeOf(versionOf(one) ?? '')
  const decades = all.map(decade).sort((one, other) => one - other)
  const found = decades.findLast((one) => one <= at) ?? decades[0]
  return all.filter((one) => decade(one) === found)
}

/** A number that grows with versions, the same for ten of them: 2 001 001 for "2.1.17". */
function decadeOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return (1e4 * major + minor) * 1e4 + Math.floor(patch / 10)
}
