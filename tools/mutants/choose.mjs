/** Which of the planted faults are tried: all, one by name, those of changed files, and a fixed share of the others. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/**
 * @param {readonly import('./plant.mjs').Mutant[]} mutants
 * @param {{ only?: string | null, changed?: readonly string[] | null, sample?: number | null }} by the name of one, files that
 *   have changed, a share of all; null for what is not asked
 * @returns those of changed files first: of what time does not suffice for, they are the least to be left out
 */
export function chosenOf(mutants, { only = null, changed = null, sample = null }) {
  if (only !== null) return mutants.filter(({ name }) => name === only)
  if (changed === null && sample === null) return mutants
  const files = new Set(changed)
  // A test that has changed may have become weaker.
  const ranks = [
    ({ file }) => files.has(file),
    ({ tests }) => tests.some((test) => files.has(test)),
    ({ name }) => sample !== null && shareOf(name) < sample,
  ]
  const rankOf = (mutant) => ranks.findIndex((isOf) => isOf(mutant))
  return mutants.filter((mutant) => rankOf(mutant) >= 0).sort((a, b) => rankOf(a) - rankOf(b))
}

/** Between 0 and 1, the same for a name in every run. */
export function shareOf(name) {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32
}

/** Files that differ from a commit, those not committed included. Null where there is no such commit. */
export function changedSince(base, cwd = process.cwd()) {
  return git(['diff', '--name-only', '--relative', '-z', base, '--'], cwd)?.split('\0').filter(Boolean) ?? null
}

/**
 * Where this work began: at the main branch or, on that branch itself and where nobody knows it, at the commit before. Null
 * where that is not known either: in a clone of one commit, and outside of a repository.
 */
export function baseOf(cwd = process.cwd()) {
  const head = git(['rev-parse', 'HEAD'], cwd)
  const base = git(['merge-base', 'HEAD', 'origin/main'], cwd)
  return base !== null && base !== head ? base : git(['rev-parse', '--verify', '--quiet', 'HEAD~1'], cwd)
}

function git(args, cwd) {
  try {
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd()
  } catch {
    return null
  }
}
