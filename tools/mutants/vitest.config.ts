/** The tests as they always run, on sources of which one has a planted fault: that of MUTANT, where it is set. */
import { join, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import usual from '../../vitest.config.ts'
import { type Mutant, planted } from './plant.mjs'

const root = resolve(import.meta.dirname, '../..')
const { MUTANT } = process.env
const mutant: Mutant | null = MUTANT === undefined ? null : JSON.parse(MUTANT)
const path = mutant && join(root, mutant.file)

// There without a fault, too: what was transformed is kept for runs with the same plugins.
const planting: Plugin = {
  name: 'planting',
  enforce: 'pre',
  // It is kept by the content of the file, which does not have the fault.
  configureVitest: ({ experimental_defineCacheKeyGenerator: keyedBy }) => keyedBy(({ id }) => id !== path && undefined),
  transform: (code, id) => (mutant && id === path ? { code: planted(code, mutant), map: null } : null),
}

export default defineConfig((environment) => {
  const { test } = usual(environment)
  const setupFiles = ['test/seed.ts', 'tools/mutants/first-failure.ts']
  // What tests need is built for the run without a fault, which comes first.
  const globalSetup = mutant ? ['test/surroundings.ts'] : test?.globalSetup
  return { root, plugins: [planting], test: { ...test, setupFiles, ...(globalSetup && { globalSetup }) } }
})
