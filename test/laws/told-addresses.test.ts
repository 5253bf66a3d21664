/** No output has the password of an address: one address of each kind, where most of them are named; the slow lane has all. */
import { addresses } from '../addresses.ts'
import { addressLaws } from './told-addresses.ts'

addressLaws([addresses[0], addresses[10], addresses[15]] as string[], ['export', 'probe'])
