/** Plugins as they are chosen: on the command line, in a plan, or as a baseline. */
import { door, openDoor } from './door.ts'
import { type Params, resolveParams } from './param.ts'
import { having, object, optional, plain, record, type Shape, string } from './plain-shape.ts'
import type { Named } from './registry.ts'

/** A plugin with the values of its params. */
export interface Chosen<Plugin> {
  readonly plugin: Plugin
  readonly values: Readonly<Record<string, unknown>>
}

/** The shape of a plugin that was chosen, and has these methods. */
export function chosenWith(methods: readonly string[]): Shape<never> {
  return object<Chosen<object>>({ plugin: having(methods), values: record(plain(100)) }) as Shape<never>
}

const enterPlugin = openDoor('choose', {
  name: [string, 'a text'],
  params: [record(having(['parse'])), 'an object of params: definePolicy and defineEstimator give one'],
})

const enterValues = door('choose', { values: [optional(record(plain(100))), 'an object of params'] })

/**
 * A plugin with these values for its params, and the defaults for the rest.
 * @throws CtxwinError for what is no plugin, and naming the param that is unknown or has no such value
 */
export function choose<Plugin extends Named & { readonly params: Params }>(
  plugin: Plugin,
  values?: Readonly<Record<string, unknown>>,
): Chosen<Plugin> {
  enterPlugin(plugin)
  enterValues({ values })
  return { plugin, values: resolveParams(plugin.name, plugin.params, values ?? {}) }
}

/** As plain data: what tells a plugin and the values of its params from others. */
export function identityOf({
  plugin,
  values,
}: Chosen<Named & { readonly version?: string | number }>): Readonly<Record<string, unknown>> {
  return { name: plugin.name, version: plugin.version, values }
}
