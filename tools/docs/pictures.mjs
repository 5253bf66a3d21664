#!/usr/bin/env node
// Makes anew what the README and docs/ show: what stands below a command line, and pictures (`ctxwin … > docs/NAME.svg`):
// npm run renew
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
)
const printed = (line) => {
  const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare)
  const env = { PATH: process.env.PATH, HOME: '/nowhere', COLUMNS: '80' }
  return spawnSync(process.execPath, ['bin/ctxwin.js', ...argv], { cwd: root, env, encoding: 'utf8' }).stdout
}
for (const page of pages) {
  const text = readFileSync(root + page, 'utf8')
  const renewed = text.replace(
    /(```\n\$ ctxwin(?: ([^\n]+))?\n)[\s\S]*?```/g,
    (_, head, line = '') => `${head}${printed(line)}\`\`\``,
  )
  if (renewed !== text) writeFileSync(root + page, renewed)
  for (const [, line, file] of text.matchAll(/^ctxwin (.+) > (docs\/[\w-]+\.svg)$/gm))
    writeFileSync(root + file, printed(line))
}
