import type { Call } from './call.ts'
import { lineOf, type Mode } from './commands.ts'
import { misuse } from './misuse.ts'
import { flagFor } from './settings.ts'

const general: readonly string[] = ['config', 'noConfig', 'printConfig', 'quiet']

/** @throws CtxwinError for a flag that does not go with the others */
export function checkModes({ command, flags }: Pick<Call, 'command' | 'flags'>): void {
  const isOn = ({ key, values }: Mode): boolean =>
    values ? values.some((value) => value === flags[key]) : flags[key] === true
  for (const mode of lineOf(command)?.modes ?? []) {
    const { key, takes, own } = mode
    const known = [key, ...takes, ...own, ...general]
    const said = mode.values ? `${flagFor(key)} ${flags[key]}` : flagFor(key)
    const wrong = isOn(mode)
      ? Object.keys(flags).find((other) => !known.includes(other))
      : own.find((other) => flags[other] !== undefined)
    if (wrong === undefined) continue
    throw misuse(
      isOn(mode)
        ? `${flagFor(wrong)} is not for ${command} ${said}: leave one of them out`
        : `${flagFor(wrong)} is for ${command} ${flagFor(key)}: leave it out`,
    )
  }
}
