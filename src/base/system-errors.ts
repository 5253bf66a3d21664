/** What the system says of a file or a connection that it refuses, in words: its own codes are for programs. */
import { getSystemErrorMap } from 'node:util'

export type SystemError = NodeJS.ErrnoException & { readonly code: string }

/** Whether the system refused something, and not a program that is wrong. */
export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** What is wrong with a place, whatever was to be done there. */
const places: Readonly<Record<string, string>> = {
  EISDIR: 'it is a directory, not a file',
  ELOOP: 'its links go round',
  ENAMETOOLONG: 'the name is too long for the system',
  ENXIO: 'there is no device or program behind it',
  ENODEV: 'there is no device behind it',
  EIO: 'the disk failed, or the network that it is on',
  ESTALE: 'its server no longer knows it',
  ETIMEDOUT: 'there was no answer in time',
  EBUSY: 'another program uses it',
  ETXTBSY: 'it is a program that runs',
  EMFILE: 'too many files are open: raise the limit on them (ulimit -n)',
  ENFILE: 'the whole system has too many files open',
  ENOMEM: 'there is not enough memory',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was broken off',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be looked up',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
}

const reading: Readonly<Record<string, string>> = {
  ...places,
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file: its path leads through one',
  EACCES: 'you do not have permission to read it',
  EPERM: 'you do not have permission to read it',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  ERR_STRING_TOO_LONG: 'it is too large',
}

const writing: Readonly<Record<string, string>> = {
  ...places,
  EISDIR: 'it is a directory',
  ENOENT: 'its directory is not there',
  ENOTDIR: 'its path leads through a file, which is no directory',
  EEXIST: 'it is a file, not a directory',
  EACCES: 'you do not have permission to write it',
  EPERM: 'you do not have permission to write it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than a file may be',
}

const tables = { read: reading, write: writing }

/** Why something could not be read or written, without a capital and a full stop. */
export function reasonOf(error: unknown, doing: keyof typeof tables): string {
  const { code = '', errno = 0 } = (error ?? {}) as NodeJS.ErrnoException
  const [, words] = getSystemErrorMap().get(errno) ?? []
  return tables[doing][code] ?? (words === undefined ? 'the system refuses it' : `the system says "${words}"`)
}
