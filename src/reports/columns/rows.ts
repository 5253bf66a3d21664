/** The columns of finer rows: of an exchange, a request or a lost reference, each with those that name its run. */
import type { LostReference, Row, Run } from '../../model/run.ts'
import { type Column, type Field, pick, through } from '../column.ts'
import { lostReferenceFields } from './references.ts'
import { rowFields } from './requests.ts'
import { runColumns } from './run.ts'

/** A row of a run, with its run. */
export interface RunRow {
  readonly run: Run
  readonly row: Row
}

/** The fields that identify a row's run. */
const ofRun = pick(runColumns, ['transcript', 'conversation', 'policy', 'params', 'budget', 'estimator'])

export const rowColumns: readonly Field<RunRow>[] = [
  ...ofRun.map((field) => through(field, ({ run }: RunRow) => run)),
  ...rowFields.map((field) => through(field, ({ row }: RunRow) => row)),
]

/** A lost reference, with its run. */
export interface RunLoss {
  readonly run: Run
  readonly loss: LostReference
}

export const lossColumns: readonly Field<RunLoss>[] = [
  ...ofRun.map((field) => through(field, ({ run }: RunLoss) => run)),
  ...lostReferenceFields.map((field) => through(field, ({ loss }: RunLoss) => loss)),
]

export const runRows = (run: Run): RunRow[] => (run.rows ?? []).map((row) => ({ run, row }))
export const runLosses = (run: Run): RunLoss[] => (run.lost ?? []).map((loss) => ({ run, loss }))

/** The columns of a simulation's report: of a run, of a finer row, or of a lost reference. */
export interface SimulationColumns {
  readonly run: readonly Column<Run>[]
  readonly row: readonly Column<RunRow>[]
  readonly loss: readonly Column<RunLoss>[]
}

export const simulationColumns: SimulationColumns = { run: runColumns, row: rowColumns, loss: lossColumns }
