/** The estimators there are. The list is explicit: what is not here does not exist. */
import { Registry } from '../registry.ts'
import anthropic from './anthropic.ts'
import bytes from './bytes.ts'
import estimate from './estimate.ts'
import type { Estimator } from './estimator.ts'
import google from './google.ts'
import openai from './openai.ts'

export const estimators = new Registry<Estimator>('estimator', [bytes, openai, anthropic, google, estimate])
