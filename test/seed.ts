/**
 * A change is judged by the same random cases as the one before it. What is drawn is as large as its arbitrary says: by itself
 * fast-check draws lists of at most ten, whatever their `maxLength` is, and no window slides over ten messages.
 */
import fc from 'fast-check'

export const seed = Number(process.env.FAST_CHECK_SEED ?? 1)
fc.configureGlobal({ seed, defaultSizeToMaxWhenMaxSpecified: true })
