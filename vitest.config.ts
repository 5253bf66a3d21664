import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Files share what they import: to load everything anew for each took a third of the time.
  // All processors: the default leaves one free, which is half of a small machine.
  // What was transformed is kept in node_modules, by its content: a second run begins seconds earlier.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    isolate: false,
    maxWorkers: '100%',
    experimental: { fsModuleCache: true },
  },
})
