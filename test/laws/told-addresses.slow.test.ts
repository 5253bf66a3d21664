/** No output has the password of an address: every address, wherever a command takes a word. */
import { commands } from '../../src/cli/inputs/commands.ts'
import { addresses } from '../addresses.ts'
import { addressLaws } from './told-addresses.ts'

addressLaws(
  addresses,
  commands.map(({ name }) => name),
)
