/** The browser that tests look at pages with, where one is installed. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** Null where there is none: its tests are skipped. CHROME_PATH names another. */
export const browserPath: string | null =
  [
    process.env.CHROME_PATH ?? '',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((path) => path !== '' && existsSync(path)) ?? null

/** Offline, and without a sandbox, which needs rights that a container does not give. */
export function launch() {
  return chromium.launch({ executablePath: browserPath as string, args: ['--no-sandbox', '--disable-gpu'] })
}
