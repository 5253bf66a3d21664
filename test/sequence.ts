/**
 * The order of the files: the slow ones first, so that no worker begins one when the other has nothing left. Within these,
 * Vitest takes the longest of the last run first; where it knows none, as in CI, it would take the largest file.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [slow, fast]: [TestSpecification[], TestSpecification[]] = [[], []]
    for (const file of await super.sort(files)) (file.moduleId.endsWith('.slow.test.ts') ? slow : fast).push(file)
    return [...slow, ...fast]
  }
}
