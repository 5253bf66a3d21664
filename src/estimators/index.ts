/** The registry of estimators, an explicit list. */
import { Registry } from '../base/registry.ts'
import anthropic from './anthropic.ts'
import auto from './auto.ts'
import bytes from './bytes.ts'
import calibrated from './calibrated.ts'
import estimate from './estimate.ts'
import type { Estimator } from './estimator.ts'
import google from './google.ts'
import openai from './openai.ts'
import recorded from './recorded.ts'

export const estimators = new Registry<Estimator>('estimator', [
  auto,
  bytes,
  openai,
  anthropic,
  google,
  estimate,
  calibrated,
  recorded,
])
