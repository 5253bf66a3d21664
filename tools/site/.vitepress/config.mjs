/** The site as VitePress makes it of tools/site/.source, where build.mjs has put the pages. */

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { topicGroups, topics } from '../../../dist/cli/inputs/topics.js'
import { anchorOf } from '../anchors.mjs'

const root = new URL('../../../', import.meta.url)
const { description, repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const repositoryPage = repository.url.replace(/^git\+|\.git$/g, '')

/** A page's heading, without the marks of code. */
function titleOf(name) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(`docs/${name}.md`, root), 'utf8'))
  return title.replaceAll('`', '')
}

/**
 * Where a link leads on the site: README.md is its first page, and the pages of docs/ stand beside it. What else is in the
 * repository is linked there.
 */
function onSite(href, page) {
  if (/^(\w+:|#)/.test(href)) return href
  const [path, heading = ''] = href.split(/(?=#)/)
  const target = posix.join(page === 'index.md' ? '.' : 'docs', path)
  if (target === 'README.md') return `./index.md${heading}`
  return target.startsWith('docs/')
    ? `./${target.slice('docs/'.length)}${heading}`
    : `${repositoryPage}/blob/main/${target}${heading}`
}

function linksOnSite(markdown) {
  markdown.core.ruler.push('links-on-site', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const name = { link_open: 'href', image: 'src' }[token.type]
      if (name !== undefined) token.attrSet(name, onSite(token.attrGet(name), env.relativePath))
    }
  })
}

export default {
  title: 'ctxwin',
  description,
  // No icon: a browser would ask for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.source',
  cacheDir: 'node_modules/.vitepress',
  markdown: { config: linksOnSite, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Command line', link: '/cli' },
      { text: 'A report', link: '/example.html', target: '_blank' },
      { text: 'Repository', link: repositoryPage },
    ],
    sidebar: Object.entries(topicGroups).map(([group, text]) => ({
      text,
      items: topics
        .filter((topic) => topic.group === group)
        .map(({ name }) => ({ text: titleOf(name), link: `/${name}` })),
    })),
  },
}
