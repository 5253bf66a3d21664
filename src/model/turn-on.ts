import { shellCommand } from '../base/quoting.ts'

/** How a person makes a program do something: where it is set, and what is written there. */
export interface TurnOn {
  /** What is behind "in": a file, `the environment`, `the command that starts it`, `the request`, `your code`. */
  readonly file: string
  /** One line that can be pasted there; a word in angle brackets stands for what only the user knows. */
  readonly text: string
  /** The version of the program, of its library or of the API since which it has these names; null where none is known. */
  readonly since: string | null
  /** What it comes to, and what else has to be known, in a few words. */
  readonly note: string | null
}

/** What is known of transcripts, as far as it matters to how something is turned on in the program that recorded them. */
export interface TurnOnFor {
  /** The model that they used; null where there were several, or none is named. */
  readonly model: string | null
  /** The newest version of the program; null where no transcript says one. */
  readonly version: string | null
}

/** The same, with what a program must become first that is older than its setting. */
export function turnOnFor(how: TurnOn | null, { version }: TurnOnFor): TurnOn | null {
  if (how === null || how.since === null || version === null || !isOlder(version, how.since)) return how
  const needs = `needs ${how.since}; your sessions are by ${version}`
  return { ...how, note: how.note === null ? needs : `${how.note}; ${needs}` }
}

/**
 * The command that prints the lines by which a policy runs in an agent, as it is typed in a shell.
 * @param setting the policy with its params
 * @param budget as it is typed; null for a policy that goes by none
 */
export function emitCommand(setting: string, budget: string | null, rest: readonly string[] = []): string {
  return shellCommand([
    'ctxwin',
    'emit',
    '--policy',
    setting,
    ...(budget === null ? [] : ['--budget', budget]),
    ...rest,
  ])
}

/** How a person has what no program has a setting for: in an agent of their own. */
export function turnOnByEmit(setting: string, budget: string | null): TurnOn {
  return { file: 'your agent', text: emitCommand(setting, budget), since: null, note: 'paste what this prints' }
}

/** The newer of two versions, as numbers: whatever else stands behind them may be anybody's words. */
export function newerVersion(a: string | null, b: string | null | undefined): string | null {
  const numbers = numbersOf(b ?? '')
  const version = numbers?.join('.') ?? null
  return version !== null && (a === null || isOlder(a, version)) ? version : a
}

/** `2.1.88` is older than `2.1.311`. False where one is no version. */
function isOlder(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)]
  if (!own || !other) return false
  const at = other.findIndex((number, at) => number !== (own[at] ?? 0))
  return at >= 0 && (own[at] ?? 0) < (other[at] as number)
}

/** A build or a pre-release (`-beta.1`) counts as what it leads to. */
function numbersOf(version: string): number[] | null {
  const [, numbers] = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?![\d.])/.exec(version) ?? []
  return numbers?.split('.').map(Number) ?? null
}
