/** Builds the pages of `report` and `probe` anew where a source is younger: a test must not look at an older one. */
import { changedAt, latestChange } from '../tools/build/age.mjs'

export default async function setup(): Promise<void> {
  // The page of `report` is written last.
  if (changedAt('dist/page.html') >= latestChange(['src', 'tools/build'])) return
  await import('../tools/build/page.mjs')
}
