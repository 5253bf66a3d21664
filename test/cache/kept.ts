import { readdirSync } from 'node:fs'

/** The names in a directory of what can be made again, but for the mark that says so. */
export const keptIn = (directory: string): string[] => readdirSync(directory).filter((name) => name !== 'CACHEDIR.TAG')
