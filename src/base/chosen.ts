/** Plugins as they are chosen: on the command line, in a plan, or as a baseline. */
import { type Params, resolveParams } from './param.ts'
import type { Named } from './registry.ts'

/** A plugin with the values of its params. */
export interface Chosen<Plugin> {
  readonly plugin: Plugin
  readonly values: Readonly<Record<string, unknown>>
}

/**
 * A plugin with these values for its params, and the defaults for the rest.
 * @throws CtxwinError naming the param that is unknown or has no such value
 */
export function choose<Plugin extends Named & { readonly params: Params }>(
  plugin: Plugin,
  values: Readonly<Record<string, unknown>> = {},
): Chosen<Plugin> {
  return { plugin, values: resolveParams(plugin.name, plugin.params, values) }
}

/** As plain data: what tells a plugin and the values of its params from others. */
export function identityOf({
  plugin,
  values,
}: Chosen<Named & { readonly version?: string | number }>): Readonly<Record<string, unknown>> {
  return { name: plugin.name, version: plugin.version, values }
}
