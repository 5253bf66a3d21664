#!/usr/bin/env node
/**
 * Writes src/policies/knobs/value/weights.data.json: by what is known of a message when a request goes out, the chance that the
 * agent will use it later, by its content or by a name in it. Uses of content are fewer: each weighs so much more that both have the
 * same weight in sum, as a tolerance is held to each of them. Messages are drawn at random from the requests of recorded sessions,
 * at most so many from one; how well they are told apart is measured on owners that were not fitted.
 *
 *   npm run fit:value -- FOLDER…
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ownerOf } from '../../bench/truth/manifest.mjs'
import { filesIn, sourcesOf, table, unread } from '../../bench/truth/transcripts.mjs'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, definePolicy, estimators } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { uniform } from '../../dist/base/uniform.js'
import { Signals, signals } from '../../dist/policies/knobs/value/signals.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { areaUnder, chanceOf, logistic } from './logistic.mjs'

const most = 3000
/** Shorter sessions have no request from which much can be used later. */
const fewestRequests = 10
const folds = 5
const endless = 1e9

/** A policy that edits nothing and looks at each message at each request. Prompts are never taken, and not looked at. */
const observer = (see) =>
  choose(
    definePolicy({
      name: 'observer',
      text: true,
      looksAhead: true,
      start: (_, { users, usersByName }) => {
        const known = new Signals()
        const entries = []
        const isUsed = (by, entry, messages) => ((by.get(entry.index)?.at(-1) ?? -1) >= messages ? 1 : 0)
        return {
          message(window, entry) {
            entries.push(entry)
            known.message(entry, window.tokensOf(entry, entry))
          },
          request(_window, { messages }) {
            for (const entry of entries) {
              const place = known.placeOf(entry)
              if (entry.isPrompt || known.ageOf(place) < 1) continue
              see(
                (values) => known.read(place, values),
                () => ({ used: isUsed(usersByName, entry, messages), content: isUsed(users, entry, messages) }),
              )
            }
          },
        }
      },
    }),
  )

const plan = {
  policies: [observer(() => {})],
  estimators: [choose(estimators.get('auto'))],
  budgets: [],
  references: true,
  copies: false,
}

/** The messages drawn from one transcript: each its signals behind a 1, and whether it was used. */
export function drawnFrom(trace) {
  const facts = caseOf(trace, plan)
  const walk = (see) => simulateOne({ policy: observer(see), facts, budget: endless, ignoresCopies: true }, [])
  let all = 0
  walk(() => all++)
  const random = uniform(1)
  const drawn = []
  walk((read, labels) => {
    if (random() * all >= most) return
    const values = new Float64Array(signals.length)
    read(values)
    drawn.push({ row: Float64Array.from([1, ...values]), ...labels() })
  })
  return drawn
}

/** For each session its owner, how many requests it has, when its last was, and the messages drawn from it. */
async function drawn(files) {
  const sessions = []
  const take = (trace, copyOf) => {
    if (copyOf !== null || trace.requests < fewestRequests) return []
    const times = Array.from({ length: trace.requests }, (_, request) => trace.requestTime(request))
    const last = Math.max(0, ...times.filter((time) => !Number.isNaN(time)))
    const { head, requests } = trace
    sessions.push({ file: head.file, owner: ownerOf(head.file), requests, last, messages: drawnFrom(trace) })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  return sessions
}

const chosen = { learned: signals, age: ['age'] }

/** The coefficients of a model by these messages. */
export function coefficientsOf(messages, model) {
  const columns = [0, ...chosen[model].map((name) => signals.indexOf(name) + 1)]
  const rows = messages.map(({ row }) => Float64Array.from(columns, (column) => row[column]))
  const weight = contentWeightIn(messages)
  const [intercept, ...fitted] = logistic(
    rows,
    messages.map(({ used }) => used),
    { weights: messages.map(({ content }) => (content === 1 ? weight : 1)) },
  )
  return {
    intercept: rounded(intercept),
    ...Object.fromEntries(chosen[model].map((name, at) => [name, rounded(fitted[at])])),
  }
}

/** Uses of names for each of content. */
function contentWeightIn(messages) {
  const contents = messages.reduce((sum, { content }) => sum + content, 0)
  const names = messages.reduce((sum, { used, content }) => sum + used - content, 0)
  return rounded(Math.max(1, names / contents))
}

const rounded = (value) => Math.round(value * 1000) / 1000

/** Each owner's messages by the coefficients of the owners of other folds. */
function heldOut(sessions, model) {
  const owners = [...new Set(sessions.map(({ owner }) => owner))].sort()
  const foldOf = (owner) => owners.indexOf(owner) % folds
  const scored = Array.from({ length: folds }, (_, fold) => {
    const inside = sessions.filter(({ owner }) => foldOf(owner) !== fold).flatMap(({ messages }) => messages)
    const coefficients = coefficientsOf(inside, model)
    const vector = [coefficients.intercept, ...signals.map((name) => coefficients[name] ?? 0)]
    const others = sessions.filter(({ owner }) => foldOf(owner) === fold).flatMap(({ messages }) => messages)
    return others.map(({ row, used, content }) => ({ score: chanceOf(row, vector), used, content }))
  }).flat()
  const scores = scored.map(({ score }) => score)
  const area = (label) =>
    rounded(
      areaUnder(
        scores,
        scored.map((one) => one[label]),
      ),
    )
  return { contentOrName: area('used'), content: area('content') }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sessions = await drawn(filesIn(process.argv.slice(2)))
  const messages = sessions.flatMap((one) => one.messages)
  const owners = new Set(sessions.map(({ owner }) => owner)).size
  const models = Object.fromEntries(Object.keys(chosen).map((model) => [model, coefficientsOf(messages, model)]))
  const areas = Object.fromEntries(Object.keys(chosen).map((model) => [model, heldOut(sessions, model)]))
  const data = {
    asOf: new Date(Math.max(...sessions.map(({ last }) => last))).toISOString().slice(0, 10),
    source: `tools/fit/value.mjs over ${sessions.length} sessions of ${owners} owners`,
    sessions: sessions.length,
    owners,
    messages: messages.length,
    usedPercent: rounded((100 * messages.reduce((sum, { used }) => sum + used, 0)) / messages.length),
    contentWeight: contentWeightIn(messages),
    areaUnderCurve: areas,
    ...models,
  }
  const file = new URL('../../src/policies/knobs/value/weights.data.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`)
  console.log(
    table([
      ['signal', ...Object.keys(models)],
      ...['intercept', ...signals].map((name) => [name, ...Object.values(models).map((model) => model[name] ?? '-')]),
    ]),
  )
}
