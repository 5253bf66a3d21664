/**
 * Random faults in every room, each against the fast tests of the folder that mirrors the room:
 *
 *     npm run mutants -- --random 60 --seed 1                  60 in each room
 *     npm run mutants -- --random 60 --seed 1 --room app
 *     npm run mutants -- --random 60 --seed 1 --whole          what survives: against all fast tests
 *     npm run mutants -- --random 3 --seed 1 --found FILE      writes, too, which file of tests found which fault
 *     npm run mutants -- --found FILE                          tries what was found then again, each with that file first
 *
 * A fault that the compiler of types would refuse counts as any other: only tests find faults here.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { drawn, faultsOf, hasText, keyOf } from './faults.mjs'
import { Lab } from './lab.mjs'

/** What a fault may take: many times what the tests take without it, and the start of a process. */
const patience = { seconds: 15, times: 5, passes: 100_000 }

const roomOf = (file) => file.split('/')[1]
const isOfRoom = (file, { room }) => file.startsWith(`test/${room}/`)
const placeOf = ({ file, line, function: within, text, becomes }) => `${file}:${line} ${within}: ${text} ⇒ ${becomes}`

export const roomsIn = (root) =>
  readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? one.name : []))

function sourcesIn(root, room) {
  return readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d|\.data)\.ts$/.test(file))
    .sort()
    .map((name) => {
      const file = `src/${room}/${name}`
      return { file, code: readFileSync(join(root, file), 'utf8') }
    })
}

/** @returns how many survive */
export async function tryAtRandom({ root, count, seed, rooms, isWhole, foundFile, left }) {
  const equivalent = new Set(JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8')).map(keyOf))
  const chosen = rooms.flatMap((room) => {
    const faults = sourcesIn(root, room).flatMap(({ file, code }) => faultsOf(file, code))
    return drawn(faults, count, seed)
  })
  const trial = new Trial(chosen.filter((fault) => !equivalent.has(keyOf(fault))))
  await trial.run(root, async (lab) => {
    for (const room of rooms) await trial.tryAll(lab, `test/${room}/`, left, (_, fault) => fault.room === room)
    if (isWhole) await trial.tryAll(lab, 'test/', left, (file, fault) => !isOfRoom(file, fault))
  })
  if (foundFile) writeFileSync(foundFile, `${JSON.stringify(trial.found(), null, 2)}\n`)
  for (const room of rooms) {
    const all = chosen.filter(({ file }) => roomOf(file) === room).length
    console.log(`${room.padEnd(12)} ${trial.summary(room, all, isWhole)}`)
  }
  return trial.complain()
}

/** @returns how many of those that were found are found no more */
export async function tryAgain({ root, foundFile, left }) {
  const known = JSON.parse(readFileSync(foundFile, 'utf8'))
  const keys = new Set(Object.keys(known))
  const faults = roomsIn(root)
    .flatMap((room) => sourcesIn(root, room))
    .filter(({ code }) => hasText(code, keys))
    .flatMap(({ file, code }) => faultsOf(file, code))
    .filter((fault) => keys.delete(keyOf(fault)))
  const trial = new Trial(faults)
  await trial.run(root, async (lab) => {
    await trial.tryKnown(lab, known, left)
    for (const room of new Set(trial.waiting().map(({ room }) => room)))
      await trial.tryAll(lab, `test/${room}/`, left, (_, fault) => fault.room === room)
  })
  for (const key of keys) console.log(`stands in no source any more: ${key}`)
  console.log(`${trial.summary(null, faults.length, true)}; gone with their text: ${keys.size}`)
  return trial.complain()
}

class Trial {
  #faults

  constructor(faults) {
    this.#faults = faults.map((fault, id) => ({ ...fault, id, room: roomOf(fault.file), finder: null, visitors: null }))
  }

  async run(root, tries) {
    const lab = await Lab.open(root, this.#faults)
    try {
      await tries(lab)
    } finally {
      await lab.close()
    }
  }

  waiting() {
    return this.#faults.filter(({ finder }) => finder === null)
  }

  found() {
    return Object.fromEntries(
      this.#faults.filter(({ finder }) => finder !== null).map((fault) => [keyOf(fault), fault.finder]),
    )
  }

  /** Each with the file that found it before. */
  async tryKnown(lab, known, left) {
    for (const fault of this.#faults) {
      const file = known[keyOf(fault)]
      if (left() === 0 || !existsSync(file)) continue
      fault.finder = await lab.finderOf(fault.id, [{ file }], { limit: 1e9, seconds: 60 })
      if (fault.finder !== null) this.#tell(fault)
    }
  }

  /** What waits, against the fast tests of a folder; `isFor` tells of which of them. */
  async tryAll(lab, folder, left, isFor) {
    const faults = this.waiting().filter((fault) => isFor(folder, fault))
    if (faults.length === 0 || left() === 0) return
    const visits = await lab.visits(await lab.filesIn(folder))
    for (const fault of faults) {
      if (left() === 0) return
      const visitors = visitorsOf(fault, visits, lab).filter(({ file }) => isFor(file, fault))
      fault.visitors = (fault.visitors ?? 0) + visitors.length
      const usual = visitors.reduce((sum, visit) => sum + visit.seconds, 0)
      const passes = Math.max(0, ...visitors.map((visit) => passesOf(visit, fault.id)))
      const limits = {
        seconds: patience.seconds + patience.times * usual,
        limit: patience.passes + patience.times * passes * visitors.length,
      }
      // The tests that come by; and then all of their files, as what a test has made may be looked at by the next.
      const some = visitors.map((visit) => testsOf(visit, fault.id))
      const all = some.filter(({ testIds }) => testIds).map(({ file }) => ({ file }))
      fault.finder = (await lab.finderOf(fault.id, some, limits)) ?? (await lab.finderOf(fault.id, all, limits))
      this.#tell(fault)
    }
  }

  #tell(fault) {
    const { finder, visitors } = fault
    if (finder !== null) console.log(`found      ${placeOf(fault)} by ${finder}`)
    else console.log(`not found  ${placeOf(fault)}: ${visitors} files of tests come by`)
  }

  summary(room, chosen, isWhole) {
    const of = this.#faults.filter((fault) => room === null || fault.room === room)
    const found = of.filter(({ finder }) => finder !== null)
    const mirrored = found.filter((fault) => isOfRoom(fault.finder, fault))
    const share = (part) => `${part.length} of ${of.length} (${Math.round((100 * part.length) / of.length)} %)`
    const late = of.filter(({ finder, visitors }) => finder === null && visitors === null).length
    return [
      `found by the tests of the room: ${share(mirrored)}`,
      ...(isWhole ? [`by all that were tried: ${share(found)}`] : []),
      ...(chosen > of.length ? [`equivalent: ${chosen - of.length}`] : []),
      ...(late > 0 ? [`no time was left for ${late}`] : []),
    ].join('; ')
  }

  /** Lists what survives. */
  complain() {
    const survivors = this.waiting().filter(({ visitors }) => visitors !== null)
    for (const fault of survivors)
      console.error(`not found: ${placeOf(fault)}${fault.visitors === 0 ? ' (no test comes by)' : ''}`)
    return survivors.length
  }
}

const passesOf = ({ passes }, id) => passes.find(([at]) => at === id)?.[1] ?? 0

/** The tests of a file that come by a fault; all, where it is met outside of them. */
function testsOf({ file, passes, tests, loading }, id) {
  const met = tests.filter((test) => passesOf(test, id) > 0)
  const inside = met.reduce((sum, test) => sum + passesOf(test, id), 0)
  const isInside = inside > 0 && inside === passesOf({ passes }, id) && !loading.includes(id)
  return isInside ? { file, testIds: met.map((test) => test.id) } : { file }
}

/** Files that come by a fault: that of its own name first, then those that come by it quickly. */
function visitorsOf(fault, visits, lab) {
  const own = basename(fault.file, '.ts')
  const files = visits.map(({ file }) => file)
  // What a file loads is loaded once, and by the first that needs it.
  const isOfLoading = visits.some(({ loading }) => loading.includes(fault.id))
  const loaders = new Set(isOfLoading ? lab.loadersOf(fault.file, files) : [])
  const rankOf = ({ file, seconds, tests }) => {
    const met = tests.filter((test) => passesOf(test, fault.id) > 0)
    const least = met.length > 0 ? met.reduce((sum, test) => sum + test.seconds, 0) : seconds
    return basename(file).startsWith(own) ? least / 1000 : least
  }
  return visits
    .filter((visit) => passesOf(visit, fault.id) > 0 || loaders.has(visit.file))
    .sort((a, b) => rankOf(a) - rankOf(b))
}
