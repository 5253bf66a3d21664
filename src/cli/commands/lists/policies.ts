/** `list policies`: which there are, in groups; of those that are named, everything that is declared. */

import { type Column, choose, type Param, type PolicyWithCard, policies, type TurnOn } from '../../../app/index.ts'
import { learnings, type Staleness, staleness } from '../../../app/stale.ts'
import { publishedVersion } from '../../../clients/registry.ts'
import { ownBudgetWords, type PolicyGroup, policyGroups, turnOnOf } from '../../../policies/index.ts'
import { within } from '../../../reports/column.ts'
import { whereWords } from '../../../reports/decision.ts'
import { turnOnFields } from '../../../reports/recommendation.ts'
import { framed } from '../../inputs/frame.ts'
import { reportOf } from '../../inputs/options.ts'
import { defaultsOf } from './plugins.ts'

/** The budget for which a person is told how to turn a policy on. */
const exampleBudget = 100_000

const columns: readonly Column<PolicyWithCard>[] = [
  { key: 'name', header: 'policy', unit: 'text', rank: 0, value: ({ name }) => name },
  { key: 'summary', header: 'what it does', unit: 'text', rank: 0, wraps: true, value: ({ summary }) => summary },
  { key: 'group', header: 'group', unit: 'text', value: (policy) => groupOf(policy)?.key ?? null },
  { key: 'version', header: 'version', unit: 'text', value: ({ version }) => version ?? null },
  { key: 'kind', header: 'kind', unit: 'text', value: ({ kind }) => kind },
  { key: 'monotone', header: 'monotone', unit: 'text', value: ({ monotone }) => monotone },
  { key: 'params', header: 'params', unit: 'record', value: ({ params }) => defaultsOf(params) },
  { key: 'source', header: 'source', unit: 'text', value: ({ source }) => source },
  { key: 'trigger', header: 'trigger', unit: 'text', value: ({ trigger }) => trigger ?? null },
  { key: 'ownBudget', header: 'own budget', unit: 'text', value: ownBudgetWords },
  { key: 'unlike', header: 'unlike others', unit: 'text', value: ({ unlike }) => unlike ?? null },
  { key: 'counter', header: 'counts', unit: 'text', value: ({ native }) => native?.summary ?? null },
  ...within<PolicyWithCard, TurnOn>(
    'turnOn',
    { meaning: 'how it is turned on', nullable: true },
    turnOnFields,
    example,
  ),
]

const paramColumns: readonly Column<readonly [key: string, param: Param<unknown>]>[] = [
  { key: 'param', header: 'param', unit: 'text', rank: 0, value: ([key]) => key },
  {
    key: 'default',
    header: 'default',
    unit: 'text',
    rank: 0,
    wraps: true,
    value: ([, param]) => String(param.default),
  },
  { key: 'help', header: 'what it sets', unit: 'text', rank: 0, wraps: true, value: ([, param]) => param.help },
  { key: 'expected', header: 'a value is', unit: 'text', rank: 1, wraps: true, value: ([, param]) => param.expected },
]

const staleColumns: readonly Column<Staleness>[] = [
  { key: 'name', header: 'name', unit: 'text', rank: 0, wraps: true, value: ({ name }) => name },
  { key: 'kind', header: 'kind', unit: 'text', rank: 0, value: ({ kind }) => kind },
  { key: 'package', header: 'package', unit: 'text', rank: 0, wraps: true, value: (one) => one.package },
  { key: 'version', header: 'read', unit: 'text', rank: 0, value: ({ version }) => version },
  { key: 'on', header: 'in', unit: 'text', rank: 0, value: ({ on }) => on },
  { key: 'published', header: 'published', unit: 'text', rank: 0, value: ({ published }) => published },
  { key: 'stale', header: 'newer', unit: 'text', rank: 0, value: ({ stale }) => stale },
]

export const run = framed(reportOf, async ({ call, report }) => {
  const named = [...new Set(call.inputs.map((name) => policies.get(name)))]
  if (call.flags.stale === true) {
    const wanted = learnings().filter(({ kind, name }) =>
      named.length === 0 ? true : kind === 'policy' && named.some((policy) => policy.name === name),
    )
    const rows = await staleness(wanted, (name) => publishedVersion(name, call.world.env))
    return { result: (looks) => report.rows(staleColumns, rows, looks) }
  }
  return {
    *result(looks) {
      if (!report.forPeople) return yield* report.rows(columns, named.length > 0 ? named : policies.all, looks)
      for (const policy of named) yield* [...report.sheet(sheetOf(policy), looks), '\n']
      if (named.length > 0) return
      for (const { title, policies: items } of policyGroups) {
        if (items.length === 0) continue
        yield* report.sheet({ captions: [title], columns, items, marked: () => false, notes: [], data: items }, looks)
        yield '\n'
      }
      yield 'Params, source, how to turn it on: ctxwin list policies NAME\n'
    },
  }
})

/** One policy, for people. */
function sheetOf(policy: PolicyWithCard) {
  const turnOn = example(policy)
  const said = [
    ['when', policy.trigger],
    ['budget', ownBudgetWords(policy) && `${ownBudgetWords(policy)}, where none is given`],
    ['from', policy.source],
    ['unlike', policy.unlike],
    ['law', lawOf(policy)],
    ['counts', policy.native && `${policy.native.summary} (--measure native)`],
  ] as const
  return {
    captions: [`${policy.name}${policy.version ? ` @${policy.version}` : ''}: ${policy.summary}`],
    columns: Object.keys(policy.params).length > 0 ? paramColumns : [],
    items: Object.entries(policy.params),
    marked: () => false,
    notes: [
      {
        title: 'About it',
        items: [
          ...said.flatMap(([name, sentence]) => (sentence ? [{ name, sentences: [sentence] }] : [])),
          ...(turnOn ? [{ name: 'turn on', sentences: [whereOf(turnOn)], verbatim: turnOn.text }] : []),
        ],
      },
    ],
    data: policy,
  }
}

function whereOf(turnOn: TurnOn): string {
  return `${turnOn.since === null ? '' : `since ${turnOn.since}, `}${whereWords(turnOn)}`
}

function lawOf({ kind, monotone, wholePairs, inserts }: PolicyWithCard): string {
  const words = [kind === 'view' ? 'a view: starts from the whole history again' : 'sticky: edits stay']
  if (monotone) words.push('a larger budget never keeps less')
  if (wholePairs) words.push('no call without its results')
  if (inserts) words.push('inserts messages of its own')
  return words.join('; ')
}

function example(policy: PolicyWithCard): TurnOn | null {
  return turnOnOf(policy, choose(policy).values, exampleBudget)
}

function groupOf(policy: PolicyWithCard): PolicyGroup | undefined {
  return policyGroups.find(({ policies }) => policies.includes(policy))
}
