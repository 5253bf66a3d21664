/**
 * What `probe` is told on the command line, and nowhere else: no file and no variable may cause anything to be sent.
 */

import { CtxwinError } from '../../../app/index.ts'
import { wordAmong } from '../../../base/errors.ts'
import type { ProbeApi } from '../../../model/probe.ts'
import { probedApis } from '../../inputs/commands.ts'
import { misuse } from '../../inputs/misuse.ts'
import { numberOf } from '../../inputs/options.ts'

export interface Endpoint {
  readonly api: ProbeApi
  /** Null for the provider's own, or the one that the environment names for it. */
  readonly url: string | null
}

export interface ProbeFlags {
  /** Null: nothing is sent. */
  readonly endpoint: Endpoint | null
  readonly api: ProbeApi
  readonly model: string
  readonly dollars: number | null
  readonly requests: number | null
  readonly perSession: number
  readonly probes: number
  readonly seed: number
  readonly dryRun: boolean
  readonly count: boolean
  readonly journal: string
  readonly preambleFrom: string | null
  readonly summaryPrompt: string | null
  readonly withoutTools: boolean
  readonly stream: boolean | null
  readonly yes: boolean
}

type Flags = Readonly<Record<string, unknown>>

export const usualJournal = 'ctxwin-probe.ndjson'

/** @throws CtxwinError for a word that is none, and for what is missing */
export function probeFlags(flags: Flags): ProbeFlags {
  const endpoint = endpointOf(flags)
  const model = wordOf(flags.ask)
  if (model === null) throw misuse('which model is asked? Name it with --ask')
  return {
    endpoint,
    api: endpoint?.api ?? apiOf(flags.api) ?? 'anthropic',
    model,
    dollars: amountOf('--max-usd', flags.maxUsd),
    requests: numberOf('--max-requests', flags.maxRequests, null),
    perSession: numberOf('--per-session', flags.perSession, 6),
    probes: numberOf('--probes', flags.probes, 300),
    seed: numberOf('--seed', flags.seed, 1, 0),
    dryRun: flags.dryRun === true,
    count: flags.count === true,
    journal: wordOf(flags.journal) ?? usualJournal,
    preambleFrom: wordOf(flags.preambleFrom),
    summaryPrompt: wordOf(flags.summaryPrompt),
    withoutTools: flags.withoutTools === true,
    stream: flags.stream === false ? false : null,
    yes: flags.yes === true,
  }
}

function endpointOf(flags: Flags): Endpoint | null {
  const word = wordOf(flags.endpoint)
  const api = apiOf(flags.api)
  if (word === null) return null
  if (word === 'anthropic') {
    if (api !== null && api !== 'anthropic') throw misuse(`anthropic has no API of the name ${api}`)
    return { api: 'anthropic', url: null }
  }
  if (word === 'openai') {
    if (api === 'anthropic') throw misuse('openai has no API of the name anthropic')
    return { api: api ?? 'responses', url: null }
  }
  return { api: api ?? 'chat', url: word }
}

function apiOf(word: unknown): ProbeApi | null {
  return word === undefined ? null : wordAmong(probedApis, '--api', word)
}

function wordOf(word: unknown): string | null {
  return typeof word === 'string' && word.trim() !== '' ? word : null
}

function amountOf(flag: string, word: unknown): number | null {
  if (word === undefined) return null
  if (/^\d{1,6}(\.\d{1,4})?$/.test(String(word)) && Number(word) > 0) return Number(word)
  throw new CtxwinError('bad-value', flag, word, 'an amount of US dollars such as 20 or 0.5')
}
