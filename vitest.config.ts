import { defineConfig } from 'vitest/config'
import { v8Flags } from './src/cli/start/v8-flags.ts'
import { ofBuild } from './test/of-build.ts'
import { SlowFirst } from './test/sequence.ts'

export default defineConfig(({ mode }) => ({
  // Files share what they import: to load everything anew for each took a third of the time.
  // All processors: the default leaves one free, which is half of a small machine.
  // Properties draw the same cases in every run; FAST_CHECK_SEED=2 draws others.
  // The longest test takes 20 s on a quiet machine of two cores, and six times as long on one that runs eight other things.
  // Whatever waits for what may never come gives up sooner by itself.
  // What was transformed is kept in node_modules, by its content: a second run begins seconds earlier.
  // `npm test` tries what is built (--mode built), and everything else the sources.
  plugins: mode === 'built' ? [ofBuild] : [],
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/seed.ts'],
    globalSetup: ['test/surroundings.ts', 'test/built-page.ts', 'test/built-wasm.ts'],
    // As the command line starts (src/cli/start/start.ts): a test, too, is over before most of what V8 would optimise pays for it,
    // which took a quarter of the processor time.
    execArgv: [...v8Flags(true)],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    isolate: false,
    sequence: { sequencer: SlowFirst },
    maxWorkers: '100%',
    experimental: { fsModuleCache: true },
  },
}))
