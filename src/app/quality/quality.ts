/** How well agents worked by the size of their windows, over many files: what `quality` prints. */
import type { Quality } from '../../model/quality.ts'
import type { Diagnostic } from '../../model/run.ts'
import type { ReadFiles } from '../analysis.ts'
import { qualityPiece } from '../files/piece-shapes.ts'
import { problemsOf } from '../files/read-sources.ts'
import type { Plan } from '../plan.ts'
import { judged, type QualityPiece, type QualitySettings, qualityPieceOf } from './quality-sums.ts'

/** @param plan how transcripts are read; nothing is replayed */
export async function quality(read: ReadFiles, plan: Plan, settings: QualitySettings = {}): Promise<Quality> {
  const pieces: QualityPiece[] = []
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: { ...plan, policies: [], references: true },
    measure: qualityPieceOf,
    copied: null,
    piece: qualityPiece,
    start: (): QualityPiece[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const piece of part) pieces.push(piece)
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  return { schemaVersion: 1, ...judged(pieces, settings), diagnostics }
}
