/** Loads the published schemas, each as a function that returns where data violates it. */
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const folder = new URL('../../docs/schema/', import.meta.url)
const ending = '.schema.json'

/** @returns {Record<string, (data: unknown) => string | null>} by the command whose `--output json` it describes */
export function loadSchemas() {
  // Each is asked a few hundred times: to optimise what it is compiled to takes longer.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => {
        // Compiled when it is first asked: that of the config file, which is no output, takes longer than all others.
        let validate
        const violation = (data) => {
          validate ??= ajv.compile(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
          return validate(data) ? null : firstOf(validate.errors)
        }
        return [name.slice(0, -ending.length), violation]
      }),
  )
}

function firstOf([{ instancePath, keyword }]) {
  return `${instancePath.replaceAll(/\/\d+/g, '/*')} ${keyword}`
}
