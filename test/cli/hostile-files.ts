/** A directory of transcripts, with copies, forks, and what else may lie in one. */
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

/** @returns the words that name it all on a command line that is run beside it */
export function writeHostileFiles(cwd: string): string[] {
  for (const directory of ['logs/deep', 'logs/copies', 'empty']) mkdirSync(join(cwd, directory), { recursive: true })
  const put = (name: string, content: string | Buffer) => writeFileSync(join(cwd, 'logs', name), content)
  // A third of one: small, and still twice too much for ten thousand tokens.
  const lines = readFileSync(fixture('claude-code/refactor.jsonl'), 'utf8').split('\n').slice(0, 50)
  const session = `${lines.join('\n')}\n`
  // A session, a copy of it, its beginning before it in order, and one that goes on where that ends.
  put('a-beginning.jsonl', lines.slice(0, -14).join('\n'))
  put('b-session.jsonl', session)
  put('copies/again.jsonl', session)
  put('deep/packed.jsonl.gz', gzipSync(session))
  copyFileSync(fixture('claude-code/compaction.jsonl'), join(cwd, 'logs/compaction.jsonl'))
  copyFileSync(fixture('openai-chat/tools.jsonl'), join(cwd, 'logs/deep/tools.jsonl'))
  put('damaged.jsonl', `${session.slice(0, 40_000)}\n{"type": "user", \n\0\0\0\n`)
  put('empty.jsonl', '')
  put('blank.jsonl', '\n\n  \n')
  put('other.json', '{"what": "is this?"}')
  put('no.zip', 'PK\x03\x04 and no archive')
  put('torn.jsonl.gz', gzipSync(session).subarray(0, 3000))
  put('\u001b[31mred.jsonl', readFileSync(fixture('openai-chat/tools.jsonl')))
  mkdirSync(join(cwd, 'logs/directory.jsonl'))
  symlinkSync('nowhere', join(cwd, 'logs/dangling.jsonl'))
  const elsewhere = [fixture('pi'), fixture('codex/compaction.jsonl'), fixture('codex/sub-agent.jsonl')]
  return ['logs', 'logs/empty.jsonl', 'missing.jsonl', 'empty', ...elsewhere]
}
