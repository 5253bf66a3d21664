/** What others run for people: the step of the action, the hook of pre-commit, the image. Words that they are given are words. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../docs.ts'
import { hostileWords } from '../hostile-words.ts'
import { conversation, useRepository } from './repository.ts'

const textOf = (name: string) => readFileSync(root + name, 'utf8')
const repository = useRepository()

describe.skipIf(process.platform === 'win32')('the step of action.yml', () => {
  const [{ run, env: variables }] = parse(textOf('action.yml')).runs.steps

  /** The words that ctxwin is given, each behind a NUL, as a file name may have anything else in it. */
  function act(inputs: Record<string, string>): string[] {
    repository.write('node_modules/.bin/ctxwin', '#!/bin/sh\nprintf "%s\\0" "$@"\n')
    chmodSync(join(repository.cwd, 'node_modules/.bin/ctxwin'), 0o755)
    // As the CI runner does.
    const flags = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run]
    const none = Object.fromEntries(Object.keys(variables).map((name) => [name, '']))
    const env = { PATH: process.env.PATH, ...none, VERSION: 'latest', ...inputs }
    return execFileSync('bash', flags, { cwd: repository.cwd, env, encoding: 'utf8' }).split('\0').slice(0, -1)
  }

  it('has no input in its script, where it would be code', () => {
    expect(run).not.toContain('${{')
  })

  it('takes a word a line, files behind all flags', () => {
    const words = {
      TRANSCRIPTS: 'transcripts/\n$(touch gone)/*.jsonl\n',
      ARGUMENTS: '--max-warnings=10\n--assert=maxCuts=1\n',
      SARIF_FILE: 'a b.sarif',
    }
    const flags = ['--max-warnings=10', '--assert=maxCuts=1', '--output-file.sarif=a b.sarif']
    expect(act(words)).toEqual(['check', ...flags, '--', 'transcripts/', '$(touch gone)/*.jsonl'])
    expect(act({ TRANSCRIPTS: 'a' })).toEqual(['check', '--', 'a'])
    expect(existsSync(join(repository.cwd, 'gone'))).toBe(false)
  })

  it('takes no file for a flag, whatever it is called', async () => {
    const names = hostileWords.flatMap((word) => word.split(/[\r\n]+/)).filter((word) => !/^$|\p{Cs}|\0/u.test(word))
    const words = act({ TRANSCRIPTS: names.join('\n') })
    expect(words).toEqual(['check', '--', ...names])
    repository.write('ok.jsonl', conversation(3))
    const TRANSCRIPTS = 'ok.jsonl\n--policy=filter:command=touch PWNED'
    const { stderr } = await repository.ctxwin(...act({ TRANSCRIPTS, ARGUMENTS: '--assert=maxCuts=9' }))
    expect(stderr).toBe('ctxwin: cannot read --policy=filter:command=touch PWNED: there is no such file\n')
    expect(existsSync(join(repository.cwd, 'PWNED'))).toBe(false)
  })
})

it('the hook of pre-commit is given no names of files, which may be flags', () => {
  for (const hook of parse(textOf('.pre-commit-hooks.yaml'))) {
    expect(hook).toMatchObject({ entry: 'ctxwin check', pass_filenames: false })
  }
})

it('the image starts no shell', () => {
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(textOf('Dockerfile')) ?? []
  expect(JSON.parse(entry)).toEqual(['ctxwin'])
})
