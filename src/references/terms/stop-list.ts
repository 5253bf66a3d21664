/**
 * Keys that are too common to refer to anything: every repository has a package.json, many texts mention GitHub. The
 * caller adds what is common in its transcript: the names of the tools and their parameters.
 */
import { wordsIn } from '../../base/words.ts'

export const stopList: readonly string[] = [
  // files that every project has
  ...wordsIn(`
    package.json package-lock.json tsconfig.json README.md CLAUDE.md AGENTS.md /dev/null /dev/stdin /dev/stdout
    /dev/stderr /usr/bin/env /bin/bash /bin/sh
  `),
  // git's file modes and its hash of nothing
  ...wordsIn('100644 100755 0000000'),
  // names of products, written like identifiers
  ...wordsIn(`
    GitHub GitLab TypeScript JavaScript CoffeeScript PowerShell PostgreSQL MySQL MongoDB GraphQL OpenAI ChatGPT
    YouTube LinkedIn DevOps WebSocket WebSockets iPhone NodeJS
  `),
  // words of the languages, in back-ticks
  ...wordsIn(`
    true false null undefined None True False string number boolean object any void const let var int bash npm npx
    git
  `),
]
