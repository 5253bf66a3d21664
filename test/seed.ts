/** A change is judged by the same random cases as the one before it. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) })
