import { CtxwinError } from '../../app/index.ts'

/** The error for a command line that cannot be run as it is. */
export const misuse = (what: string): CtxwinError => new CtxwinError('usage', what)
