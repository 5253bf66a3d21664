/**
 * Runs tests on sources with switched faults. One Vitest stays: what it has transformed serves every fault, and each has a new
 * process, in which no other fault has left anything.
 *
 * @typedef {{ on: number | null, limit: number, seconds: number, log: string, directory: string }} Order
 * @typedef {{ id: string, seconds: number, passes: [fault: number, times: number][] }} TestVisit
 * @typedef {{ file: string, seconds: number, loading: number[], passes: [fault: number, times: number][], tests: TestVisit[] }} Visit
 * @typedef {{ file: string, testIds?: string[] }} Tests  all of a file, or some
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createVitest } from 'vitest/node'
import { switched } from './faults.mjs'

/** As they are given: those that most likely find the fault come first. */
class AsGiven {
  async sort(specifications) {
    return specifications
  }

  async shard(specifications) {
    return specifications
  }
}

export class Lab {
  #root
  #vitest
  #directory = mkdtempSync(join(tmpdir(), 'ctxwin-faults-'))

  /** @param {string} root @param {readonly (import('./faults.mjs').Fault & { id: number })[]} faults */
  static async open(root, faults) {
    const lab = new Lab()
    lab.#root = root
    const byPath = new Map()
    for (const fault of faults) {
      const path = join(root, fault.file)
      byPath.set(path, [...(byPath.get(path) ?? []), fault])
    }
    const switching = {
      name: 'switching',
      enforce: 'pre',
      configureVitest: ({ experimental_defineCacheKeyGenerator: keyedBy }) =>
        keyedBy(({ id }) => !byPath.has(id) && undefined),
      transform: (code, id) => (byPath.has(id) ? { code: switched(code, byPath.get(id)), map: null } : null),
    }
    const options = { root, watch: false, bail: 1, maxWorkers: 1, fileParallelism: false, reporters: [{}] }
    const more = {
      plugins: [switching],
      test: { setupFiles: [resolve(import.meta.dirname, 'setup.ts')], sequence: { sequencer: AsGiven } },
    }
    lab.#vitest = await createVitest('test', options, more)
    return lab
  }

  /** Files of tests in a folder, without the slow ones. */
  async filesIn(folder) {
    const found = await this.#vitest.globTestSpecifications([join(this.#root, folder)])
    return found.map(({ moduleId }) => relative(this.#root, moduleId)).filter((file) => !file.endsWith('.slow.test.ts'))
  }

  /**
   * Which file of tests comes by which faults, while none is on.
   *
   * @returns {Promise<Visit[]>}
   * @throws where a test fails without a fault: it would seem to find each
   */
  async visits(files) {
    const log = join(this.#directory, 'visits')
    rmSync(log, { force: true })
    const { failed, errors } = await this.#run(
      files.map((file) => ({ file })),
      { on: null, limit: 0, seconds: 0, log },
    )
    if (failed !== null || errors.length > 0)
      throw new Error(`without a fault, tests should pass: ${failed ?? errors[0]}`)
    return existsSync(log)
      ? readFileSync(log, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  }

  /** Files that load a source, by whatever others. */
  loadersOf(source, files) {
    const { moduleGraph } = this.#vitest.vite.environments.ssr
    const seen = new Set()
    const waiting = [...(moduleGraph.getModulesByFile(join(this.#root, source)) ?? [])]
    for (const module of waiting) {
      if (seen.has(module)) continue
      seen.add(module)
      waiting.push(...module.importers)
    }
    const loaders = new Set([...seen].map((module) => relative(this.#root, module.file ?? '')))
    return files.filter((file) => loaders.has(file))
  }

  /**
   * @param {readonly Tests[]} tests
   * @returns {Promise<string | null>} the file whose test found the fault, or null
   */
  async finderOf(on, tests, { limit, seconds }) {
    const { failed, errors } = await this.#run(tests, { on, limit, seconds, log: '' })
    // Without a failed test, the process has come to its end in the first file that says nothing.
    return failed ?? (errors.length > 0 ? tests[0].file : null)
  }

  async #run(tests, order) {
    if (tests.length === 0) return { failed: null, errors: [] }
    const { state } = this.#vitest
    // A failure of an earlier run would end this one.
    state.filesMap.clear()
    state.idMap.clear()
    this.#vitest.provide('order', { ...order, directory: this.#directory })
    const project = this.#vitest.getRootProject()
    const specifications = tests.map(({ file, testIds }) =>
      project.createSpecification(join(this.#root, file), testIds && { testIds }),
    )
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications(specifications)
    const failed = testModules.find((module) => module.state() === 'failed')
    return {
      failed: failed ? relative(this.#root, failed.moduleId) : null,
      errors: unhandledErrors.map(({ message }) => String(message)),
    }
  }

  async close() {
    await this.#vitest.close()
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
