/**
 * Makes dist/page.html and dist/probe.html of src/reports/html/: the pages of `report` and of `probe` without their data, each
 * in one file that loads nothing. The policy of a page allows the one script and the one style that are in it, by their hashes.
 *
 *     node tools/build/page.mjs
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = new URL('../../', import.meta.url)
const source = (name) => new URL(`src/reports/html/${name}`, root)

async function bundled(name, how) {
  const bundle = await rolldown({ input: fileURLToPath(source(name)), platform: 'browser' })
  const { output } = await bundle.generate(how)
  await bundle.close()
  return output[0].code.trim()
}

/**
 * A script ends where this stands in it, even inside a string. Tabs and the like, which only strings have here, are escaped
 * before the hash is taken: on the way to standard output they would be afterwards, and the browser would refuse the script.
 */
async function scriptOf(name) {
  return (await bundled(`browser/${name}`, { format: 'iife', minify: true }))
    .replaceAll('</script', '<\\/script')
    .replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const hash = (text) => createHash('sha256').update(text).digest('base64')

function write(name, command, script, style) {
  const parts = {
    COMMAND: command,
    'SCRIPT-HASH': hash(script),
    'STYLE-HASH': hash(style),
    '/* STYLE */': style,
    '/* SCRIPT */': script,
  }
  const page = readFileSync(source('page.html'), 'utf8').replace(
    /COMMAND|SCRIPT-HASH|STYLE-HASH|\/\* (?:STYLE|SCRIPT) \*\//g,
    (part) => parts[part],
  )
  // Whoever reads it meanwhile has the one before.
  const half = new URL(`dist/page-${process.pid}.html`, root)
  writeFileSync(half, page)
  renameSync(half, new URL(`dist/${name}`, root))
}

// The picture of a session has a style of its own, which is in its file where it is a file.
const picture = await bundled('session/style.ts', { format: 'esm' })
const { sessionStyle } = await import(`data:text/javascript,${encodeURIComponent(picture)}`)
const common = readFileSync(source('page.css'), 'utf8').trim()
mkdirSync(new URL('dist/', root), { recursive: true })
write(
  'probe.html',
  'probe',
  await scriptOf('probe.ts'),
  `${common}\n${readFileSync(source('probe.css'), 'utf8').trim()}`,
)
write('page.html', 'report', await scriptOf('page.ts'), `${common}\n${sessionStyle}`)
