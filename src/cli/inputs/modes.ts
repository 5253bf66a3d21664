/** What a flag makes of a command: the flags that mean nothing then, or nothing without it, are refused, not ignored. */
import { CtxwinError } from '../../app/index.ts'
import type { Call } from './call.ts'
import { type CommandLine, commands, type Mode } from './commands.ts'
import { flagFor } from './settings.ts'

const general: readonly string[] = ['config', 'noConfig', 'printConfig', 'quiet']

/** @throws CtxwinError for a flag that does not go with the others */
export function checkModes({ command, flags }: Pick<Call, 'command' | 'flags'>): void {
  const line: CommandLine | undefined = commands.find(({ name }) => name === command)
  const isOn = ({ key, values }: Mode): boolean =>
    values ? values.some((value) => value === flags[key]) : flags[key] === true
  for (const mode of line?.modes ?? []) {
    const { key, takes, own } = mode
    const known = [key, ...takes, ...own, ...general]
    const said = mode.values ? `${flagFor(key)} ${flags[key]}` : flagFor(key)
    const wrong = isOn(mode)
      ? Object.keys(flags).find((other) => !known.includes(other))
      : own.find((other) => flags[other] !== undefined)
    if (wrong === undefined) continue
    throw new CtxwinError(
      'usage',
      isOn(mode)
        ? `${flagFor(wrong)} is not for ${command} ${said}: leave one of them out`
        : `${flagFor(wrong)} is for ${command} ${flagFor(key)}: leave it out`,
    )
  }
}
