/** Builds the page of `report` anew where a source is younger: a test must not look at an older one. */
import { changedAt, latestChange } from '../tools/build/age.mjs'

export default async function setup(): Promise<void> {
  if (changedAt('dist/page.html') >= latestChange(['src', 'tools/build'])) return
  await import('../tools/build/page.mjs')
}
