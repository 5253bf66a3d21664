/** What "lost" means, once for every report. */

export const notFailed = 'Lost does not mean failed: the agent might have asked again.'
