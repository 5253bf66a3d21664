/** Loads packages that only some users need, and that are not installed with ctxwin. */
import { CtxwinError } from './errors.ts'

/**
 * @param what what needs them, in words: `asking openai`
 * @throws CtxwinError with the line that installs them, or for want of address space
 */
export async function loadPackages<const Packages extends readonly unknown[]>(
  what: string,
  ...names: { readonly [Index in keyof Packages]: string }
): Promise<Packages> {
  try {
    return (await Promise.all(names.map((name) => import(name)))) as unknown as Packages
  } catch (error) {
    // Packages that are WebAssembly take its memory when they are loaded.
    if (error instanceof RangeError) throw new CtxwinError('no-space', what)
    throw new CtxwinError('no-package', what, names.join(' '))
  }
}
