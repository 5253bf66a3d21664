/** Plugins of somebody's own: what one lacks is said where it is defined, and not where it first acts. */
import { type AnyOptions, openDoor } from '../base/door.ts'
import { having, method, optional, record, type Shape, string } from '../base/plain-shape.ts'
import * as estimator from '../estimators/estimator.ts'
import * as policy from '../policies/catalogue/define-policy.ts'
import * as reader from '../readers/reader.ts'
import * as report from '../reports/report.ts'

/** @throws CtxwinError naming what it lacks */
function defining<Define extends (given: never) => object>(name: string, define: Define, options: AnyOptions): Define {
  const enter = openDoor(name, { name: [string, 'a text'], ...options })
  const defined = (given: Parameters<Define>[0]) => {
    enter(given)
    return define(given)
  }
  return defined as Define
}

const code = [method, 'a function'] as const
const maybeCode = [optional(method), 'a function'] as const

const param: Shape<never> = (value) => {
  const { default: usual } = Object(value) as { readonly default?: unknown }
  return having(['parse'])(value) ?? (usual === undefined ? 'default' : null)
}
const params = [
  optional(record(param)),
  'made with integer, number, choice, flag or text, and their `default`',
] as const

export const definePolicy = defining('definePolicy', policy.definePolicy, { start: code, params })
export const defineReader = defining('defineReader', reader.defineReader, {
  read: code,
  recognise: maybeCode,
  shape: maybeCode,
})
export const defineEstimator = defining('defineEstimator', estimator.defineEstimator, {
  meter: code,
  scale: code,
  params,
})
export const defineReport = defining('defineReport', report.defineReport, { render: code, sheet: code, rows: code })
