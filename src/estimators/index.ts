/** The estimators there are. The list is explicit: what is not here does not exist. */
import { Registry } from '../registry.ts'
import bytes from './bytes.ts'
import type { Estimator } from './estimator.ts'

export const estimators = new Registry<Estimator>('estimator', [bytes])
