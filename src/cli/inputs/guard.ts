/**
 * Watches what the loading of a module reads, or holds it to files that are known beforehand: any other, and one that
 * has changed, is refused before it is run. What is run of a file are the bytes that were looked at, so it may not
 * change in between either.
 *
 * Node tells of modules by hooks, in this thread (`module.registerHooks`) or, before Node 22.15, in one of their own
 * (`module.register`), and reads scripts, JSON and all that a module asks for by the functions of `node:fs`. The
 * functions here go into other threads as text, so each uses nothing but what it is given, and `process`.
 */
import type { LoadFnOutput, LoadHookContext, ResolveFnOutput, ResolveHookContext } from 'node:module'

/** By real path the SHA-256 of a file. */
export type Hashes = ReadonlyMap<string, string>

/** What was read of the files that are not ctxwin's own. */
export interface Seen {
  readonly read: Map<string, string>
  /** The first file that may not be read; null where there was none. */
  refused: string | null
}

type Place = string | URL | Buffer

interface Inspector {
  readonly seen: Seen
  /** Whether it is one of the files that are known. */
  knows(place: Place): boolean
  /**
   * The bytes of a file; null for one of ctxwin's own, and for what is none.
   * @param isRun it is evaluated: what is none, such as a pipe, has no bytes that could be compared, and is refused
   * @throws an error for one that may not be read
   */
  look(place: Place, isRun?: boolean): Buffer | null
}

/**
 * @param known null for any file
 * @param own directories with nothing but code of ctxwin
 */
export function inspecting(known: Hashes | null, own: readonly string[]): Inspector {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const { readFileSync, realpathSync, statSync } = process.getBuiltinModule('node:fs')
  const { sep } = process.getBuiltinModule('node:path')
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const seen: Seen = { read: new Map(), refused: null }
  // Functions of node:fs call one another: what is called while we look ourselves is not looked at again.
  let isLooking = false
  const bytesOf = (real: string): Buffer => {
    isLooking = true
    try {
      return readFileSync(real)
    } finally {
      isLooking = false
    }
  }
  const realOf = (place: Place): string | null => {
    try {
      return realpathSync.native(place instanceof URL ? fileURLToPath(place) : String(place))
    } catch {
      return null
    }
  }
  // Files under /proc and /sys change from one look to the next, so they have no hash.
  const isFile = (real: string): boolean =>
    !(process.platform === 'linux' && /^\/(proc|sys)\//.test(real)) && statSync(real).isFile()
  const refuse = (file: string): never => {
    seen.refused ??= file
    throw new Error(`${file} is not as it was recorded by ctxwin trust`)
  }
  return {
    seen,
    knows(place) {
      const real = realOf(place)
      return real !== null && known?.has(real) === true
    },
    look(place, isRun = false) {
      if (isLooking) return null
      const real = realOf(place)
      if (real === null) return isRun ? refuse(String(place)) : null
      if (own.some((directory) => real.startsWith(directory + sep))) return null
      if (!isFile(real)) return isRun || known?.has(real) ? refuse(real) : null
      const bytes = bytesOf(real)
      const hash = createHash('sha256').update(bytes).digest('hex')
      if (known !== null && known.get(real) !== hash) refuse(real)
      seen.read.set(real, hash)
      return bytes
    },
  }
}

/** While it is open all that is loaded is looked at; afterwards, what modules load that are known. */
interface State {
  isOpen: boolean
}

/** Hooks for modules, which may wait or not: the same for both ways to register them. */
export function hooking({ knows, look }: Inspector, state: State) {
  const then = <T>(value: T | Promise<T>, next: (value: T) => T) =>
    value instanceof Promise ? value.then(next) : next(value)
  const isFile = (url: string | undefined): url is string => url?.startsWith('file:') === true
  return {
    resolve(
      specifier: string,
      context: ResolveHookContext,
      next: (specifier: string, context: ResolveHookContext) => ResolveFnOutput,
    ) {
      return then(next(specifier, context), (resolved) => {
        const { parentURL } = context
        if (!state.isOpen && isFile(resolved.url) && isFile(parentURL) && knows(new URL(parentURL))) {
          look(new URL(resolved.url), true)
        }
        return resolved
      })
    },
    load(url: string, context: LoadHookContext, next: (url: string, context: LoadHookContext) => LoadFnOutput) {
      const bytes = isFile(url) && (state.isOpen || knows(new URL(url))) ? look(new URL(url), true) : null
      return then(next(url, context), (loaded) => {
        if (bytes === null || loaded.source === null || loaded.source === undefined) return loaded
        return { ...loaded, source: typeof loaded.source === 'string' ? bytes.toString() : bytes }
      })
    },
  }
}

export interface Guard {
  /** Goes on to look at what known modules load, and no more at files: the program reads its own from here on. */
  end(): Promise<Seen>
}

/** Looks at all that is loaded and read in this thread from here on. */
export function guarding(
  inspect: typeof inspecting,
  hook: typeof hooking,
  known: Hashes | null,
  own: readonly string[],
): Guard {
  const { Module, register, syncBuiltinESMExports } = process.getBuiltinModule('node:module')
  const { registerHooks } = process.getBuiltinModule('node:module') as unknown as {
    registerHooks?: (hooks: ReturnType<typeof hooking>) => void
  }
  const fs = process.getBuiltinModule('node:fs')
  const { MessageChannel } = process.getBuiltinModule('node:worker_threads')
  const inspector = inspect(known, own)
  const { look, knows, seen } = inspector
  const state: State = { isOpen: true }

  type Any = (this: unknown, ...given: unknown[]) => unknown
  const undo: (() => void)[] = []
  const replace = (object: object, name: string, make: (original: Any) => Any): void => {
    const functions = object as Record<string, Any>
    const original = functions[name]
    if (original === undefined) return
    functions[name] = make(original)
    undo.push(() => {
      functions[name] = original
    })
  }
  const isPlace = (value: unknown): value is Place =>
    typeof value === 'string' || value instanceof URL || Buffer.isBuffer(value)
  const lookAt = ([place]: readonly unknown[]): Buffer | null => (isPlace(place) ? look(place) : null)
  const lookAtRead = ([place, flags]: readonly unknown[]): Buffer | null => {
    const isRead =
      typeof flags === 'string'
        ? /r|\+/.test(flags)
        : typeof flags !== 'number' || (flags & 3) !== fs.constants.O_WRONLY
    return isRead ? lookAt([place]) : null
  }
  const after =
    (looking: typeof lookAt) =>
    (original: Any): Any =>
      function (...given) {
        looking(given)
        return original.apply(this, given)
      }
  // These functions return a promise, so what looking throws must become a rejection.
  const waited =
    (looking: typeof lookAt) =>
    (original: Any): Any =>
      async function (...given) {
        looking(given)
        return original.apply(this, given)
      }
  // Node itself loads scripts and JSON through this function: it is given the bytes that were checked.
  replace(
    fs,
    'readFileSync',
    (original) =>
      function (...given) {
        const [, options] = given
        const bytes = lookAt(given)
        if (bytes === null) return original.apply(this, given)
        const { encoding } =
          typeof options === 'string' ? { encoding: options } : ((options ?? {}) as { encoding?: string })
        return encoding && encoding !== 'buffer' ? bytes.toString(encoding as BufferEncoding) : bytes
      },
  )
  for (const name of ['readFile', 'copyFile', 'copyFileSync', 'openAsBlob']) replace(fs, name, after(lookAt))
  for (const name of ['open', 'openSync']) replace(fs, name, after(lookAtRead))
  for (const name of ['readFile', 'copyFile']) replace(fs.promises, name, waited(lookAt))
  replace(fs.promises, 'open', waited(lookAtRead))
  replace(
    process,
    'dlopen',
    after(([, file]) => lookAt([file])),
  )
  syncBuiltinESMExports()

  const modules = Module.prototype as unknown as { load: Any }
  const { load } = modules
  modules.load = function (this: { readonly parent?: { readonly filename?: string | null } | null }, file) {
    const by = this.parent?.filename
    if (state.isOpen || (typeof by === 'string' && knows(by))) look(String(file), true)
    return load.call(this, file)
  } as Any

  let endHooks = async (): Promise<Seen> => seen
  if (registerHooks) registerHooks(hook(inspector, state))
  else {
    const { port1, port2 } = new MessageChannel()
    const code = `let hooks
      export function initialize({ known, own, port }) {
        const inspector = (${inspect})(known, own)
        const state = { isOpen: true }
        hooks = (${hook})(inspector, state)
        port.on('message', () => {
          state.isOpen = false
          port.postMessage(inspector.seen)
        })
      }
      export const resolve = (...given) => hooks.resolve(...given)
      export const load = (...given) => hooks.load(...given)`
    const data = { known, own, port: port2 }
    register(`data:text/javascript,${encodeURIComponent(code)}`, { data, transferList: [port2] })
    port1.unref()
    endHooks = () =>
      new Promise((done) => {
        port1.once('message', (seen: Seen) => {
          port1.unref()
          done(seen)
        })
        port1.ref()
        port1.postMessage('end')
      })
  }
  return {
    async end() {
      state.isOpen = false
      for (const restore of undo) restore()
      syncBuiltinESMExports()
      const hooked = await endHooks()
      return { read: new Map([...seen.read, ...hooked.read]), refused: seen.refused ?? hooked.refused }
    },
  }
}
