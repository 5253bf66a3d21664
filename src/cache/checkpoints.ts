/**
 * Where readings of growing files stopped, on disk, for the next process: among the entries of the trace cache, which limits
 * and clears them with its own. Neither is taken for the other, as the checksum of the one stands where the other has its head.
 */
import type { Checkpoints } from '../app/files/follow.ts'
import { type MakeRoom, openStore } from './store.ts'

/**
 * @param build another word for each build of ctxwin, and for each engine that it runs on
 * @param makeRoom default: there is room
 */
export function openCheckpoints(directory: string, build: string, makeRoom: MakeRoom = () => true): Checkpoints {
  const store = openStore(directory, makeRoom)
  return {
    find: (path, way) => store.find(['checkpoint', path, way, build]) ?? null,
    keep: (path, way, checkpoint) => store.keep(['checkpoint', path, way, build], checkpoint),
  }
}
