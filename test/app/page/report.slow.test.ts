import { readdirSync } from 'node:fs'
import { reportLaws } from './report-laws.ts'

reportLaws(
  ['claude-code', 'codex', 'openai-chat'].flatMap((format) =>
    readdirSync(`fixtures/${format}`).map((file) => `fixtures/${format}/${file}`),
  ),
)
