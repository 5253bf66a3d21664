/**
 * Transcripts that are large in one respect only, for growth.mjs: each shape writes the same bytes for the same size.
 * Most are Claude Code sessions with recorded usage, because every command can use those.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { generate } from './generate.mjs'

/** Each shape writes a file or directory of `size` units to `path`; its own `size` is the one for 1x. */
export const shapes = [
  {
    name: 'lines',
    size: 2_000_000,
    unit: 'bytes of a session as they are',
    write: (path, size) => generate(path, { bytes: size }),
  },
  {
    name: 'exchanges',
    size: 5_000,
    unit: 'exchanges',
    write: (path, size) =>
      session(path, function* (say) {
        for (let at = 0; at < size; at++) {
          yield say.user(`Please look at item ${at % 97} again.`)
          yield say.assistant([text('It is as it was.')])
        }
      }),
  },
  {
    name: 'work',
    size: 1_500,
    unit: 'exchanges of two calls',
    write: (path, size) =>
      session(path, function* (say) {
        for (let at = 0; at < size; at++) {
          yield say.user(`Please look at item ${at % 97} again.`)
          for (const nth of [2 * at, 2 * at + 1]) {
            yield say.assistant([call(nth)])
            yield say.results([nth], `export const item${nth} = ${nth % 97}\n`.repeat(4))
          }
          yield say.assistant([text('It is as it was.')])
        }
      }),
  },
  {
    name: 'compactions',
    size: 1_000,
    unit: 'compactions, each after three exchanges',
    write: (path, size) =>
      session(path, function* (say) {
        for (let at = 0; at < size; at++) {
          for (let exchange = 0; exchange < 3; exchange++) {
            yield say.user(`Please look at /srv/app/file${at % 97}.ts again.`)
            yield say.assistant([call(3 * at + exchange)])
            yield say.results([3 * at + exchange])
            yield say.assistant([text('It is as it was.')])
          }
          yield say.boundary({ subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 12_000 } })
          yield say.summary(`All items up to ${at} were looked at.`)
        }
      }),
  },
  {
    name: 'clearings',
    size: 1_000,
    unit: 'times that the program cleared the result before',
    write: (path, size) =>
      session(path, function* (say) {
        yield say.user('Do all of it.')
        for (let at = 0; at < size; at++) {
          yield say.assistant([call(at)])
          yield say.results([at])
          const microcompactMetadata = { trigger: 'auto', compactedToolIds: [`toolu_${at}`] }
          yield say.boundary({ subtype: 'microcompact_boundary', microcompactMetadata })
        }
        yield say.assistant([text('Done.')])
      }),
  },
  {
    name: 'models',
    size: 5_000,
    unit: 'responses, each of another model',
    write: (path, size) =>
      session(path, function* (say) {
        for (let at = 0; at < size; at++) {
          yield say.user(`Please look at item ${at % 97} again.`)
          yield say.assistant([text('It is as it was.')], `model-${at}`)
        }
      }),
  },
  {
    name: 'calls',
    size: 3_000,
    unit: 'calls in one exchange',
    write: (path, size) =>
      session(path, function* (say) {
        yield say.user('Do all of it.')
        for (let at = 0; at < size; at++) {
          yield say.assistant([call(at)])
          yield say.results([at])
        }
        yield say.assistant([text('Done.')])
      }),
  },
  {
    name: 'parallel',
    size: 3_000,
    unit: 'calls in one response',
    write: (path, size) =>
      session(path, function* (say) {
        const all = Array.from({ length: size }, (_, at) => at)
        yield say.user('All at once.')
        yield say.assistant(all.map(call))
        for (const at of all) yield say.results([at])
        yield say.assistant([text('Done.')])
        yield say.user('Thank you.')
        yield say.assistant([text('You are welcome.')])
      }),
  },
  {
    name: 'questions',
    size: 5_000,
    unit: 'user messages before the first response',
    write: (path, size) =>
      session(path, function* (say) {
        for (let at = 0; at < size; at++) yield say.user(`Question ${at % 97}?`)
        yield say.assistant([text('One answer.')])
        yield say.user('Thank you.')
        yield say.assistant([text('You are welcome.')])
      }),
  },
  {
    name: 'files',
    size: 250,
    unit: 'files of one exchange',
    ending: '',
    write(path, size) {
      mkdirSync(path)
      for (let file = 0; file < size; file++) {
        lines(join(path, `${String(file).padStart(6, '0')}.jsonl`), () => exchangeOf(file))
      }
    },
  },
  {
    name: 'folders',
    size: 250,
    unit: 'files of one exchange, each in a folder of its own, ten deep',
    ending: '',
    write(path, size) {
      for (let file = 0; file < size; file++) {
        const folder = join(path, ...String(file).padStart(10, '0'))
        mkdirSync(folder, { recursive: true })
        lines(join(folder, 'session.jsonl'), () => exchangeOf(file))
      }
    },
  },
  {
    name: 'members',
    size: 250,
    unit: 'files of one exchange in one archive',
    ending: '.zip',
    write: (path, size) =>
      archive(path, size, (file) => [`part ${file % 16}/${file}.jsonl`, [...exchangeOf(file)].map(lineOf).join('')]),
  },
  {
    name: 'conversations',
    size: 1_000,
    unit: 'conversations in one file',
    write(path, size) {
      lines(path, function* () {
        for (let at = 0; at < size; at++) {
          yield {
            messages: [
              { role: 'user', content: `Question ${at}` },
              { role: 'assistant', content: 'Answer.' },
            ],
          }
        }
      })
    },
  },
  {
    name: 'long line',
    size: 1_000_000,
    unit: 'characters of one tool result',
    write: (path, size) =>
      session(path, function* (say) {
        yield say.user('Read it.')
        yield say.assistant([call(0)])
        yield say.results([0], 'A line of a file of words, and one more of them. '.repeat(Math.ceil(size / 49)))
        yield say.assistant([text('Done.')])
      }),
  },
  {
    name: 'long word',
    size: 250_000,
    unit: 'letters of one word, in each part of a message',
    write(path, size) {
      const word = 'aB3_'.repeat(size / 4)
      session(path, function* (say) {
        yield say.user(word)
        yield say.assistant([{ ...call(0), name: 'Bash', input: { command: `cat ${word}`, description: word } }])
        yield say.results([0], `/${word}/${word} https://example.com/${word}`)
        yield say.assistant([text(word)])
      })
    },
  },
  {
    name: 'words',
    size: 20_000,
    unit: 'words of one shell command',
    write: (path, size) =>
      session(path, function* (say) {
        yield say.user('Remove them.')
        const command = `rm ${Array.from({ length: size }, (_, at) => `out/file${at}.txt`).join(' ')}`
        yield say.assistant([{ ...call(0), name: 'Bash', input: { command } }])
        yield say.results([0])
        yield say.assistant([text('Done.')])
      }),
  },
  {
    name: 'terms',
    size: 10_000,
    unit: 'different paths and ids, each said twice',
    write: (path, size) =>
      session(path, function* (say) {
        const said = (at) => `/srv/app/part${at}/file${at}.ts of ${uuidOf(at)} at https://example.com/${at}`
        for (let from = 0; from < size; from += 100) {
          const texts = Array.from({ length: 100 }, (_, at) => said(from + at)).join('\n')
          yield say.user('Next.')
          yield say.assistant([call(from)])
          yield say.results([from], texts)
          yield say.assistant([text(texts)])
        }
      }),
  },
  {
    name: 'names',
    size: 20_000,
    unit: 'characters of the model, the session, each id and tool',
    write(path, size) {
      const long = 'x,:é/'.repeat(size / 5)
      session(
        path,
        function* (say) {
          yield say.user('Do it.')
          yield say.assistant([{ ...call(0), id: long, name: long }])
          yield {
            ...say.results([0]),
            message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: long, content: 'x' }] },
          }
          yield say.assistant([text('Done.')])
        },
        { model: long, sessionId: long },
      )
    },
  },
  {
    name: 'wide input',
    size: 10_000,
    unit: 'members of one tool input',
    write: (path, size) =>
      session(path, function* (say) {
        yield say.user('Do it.')
        const input = Object.fromEntries(
          Array.from({ length: size }, (_, at) => [`key${at}`, [at, { value: `v${at}` }]]),
        )
        yield say.assistant([{ ...call(0), input }])
        yield say.results([0])
        yield say.assistant([text('Done.')])
      }),
  },
  {
    name: 'damaged',
    size: 10_000,
    unit: 'damaged lines',
    write(path, size) {
      const file = openSync(path, 'w')
      writeSync(file, '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n')
      writeSync(file, '{"messages":\n'.repeat(size))
      closeSync(file)
    },
  },
]

function text(words) {
  return { type: 'text', text: words }
}

function call(at) {
  return { type: 'tool_use', id: `toolu_${at}`, name: 'Read', input: { file_path: `/srv/app/file${at % 97}.ts` } }
}

function uuidOf(at) {
  return `${at.toString(16).padStart(8, '0')}-1234-4567-89ab-${(at * 7919).toString(16).padStart(12, '0')}`
}

/** The records of a Claude Code session, each with the id of the one before. */
function session(path, messages, about) {
  lines(path, () => recordsOf(messages, about))
}

function recordsOf(messages, { model: usual = 'claude-opus-4-5', sessionId = uuidOf(1), first = 0 } = {}) {
  let at = first
  let sent = 5000
  const record = (type, members) => {
    const parentUuid = at === first ? null : uuidOf(at)
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
    at++
    return { parentUuid, sessionId, version: '2.1.0', cwd: '/srv/app', type, ...members, uuid: uuidOf(at), timestamp }
  }
  const say = {
    user: (content) => record('user', { message: { role: 'user', content } }),
    summary: (content) => record('user', { message: { role: 'user', content }, isCompactSummary: true }),
    boundary: (members) => record('system', members),
    assistant(content, model = usual) {
      const usage = {
        input_tokens: 4,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: sent,
        output_tokens: 9,
      }
      sent += 20
      const message = { model, id: `msg_${at}`, type: 'message', role: 'assistant', content, usage }
      return record('assistant', { requestId: `req_${at}`, message })
    },
    results: (calls, content = 'const answer = 42\n') =>
      record('user', {
        message: {
          role: 'user',
          content: calls.map((id) => ({ type: 'tool_result', tool_use_id: `toolu_${id}`, content })),
        },
      }),
  }
  return messages(say)
}

/** The session with this number: no two have a response in common. */
function exchangeOf(session) {
  const messages = function* (say) {
    yield say.user('Do it.')
    yield say.assistant([call(0)])
    yield say.results([0])
    yield say.assistant([text('Done.')])
  }
  return recordsOf(messages, { sessionId: uuidOf(session), first: session * 4 })
}

function lines(path, records) {
  const file = openSync(path, 'w')
  let block = ''
  for (const record of records()) {
    block += lineOf(record)
    if (block.length > 1 << 20) {
      writeSync(file, block)
      block = ''
    }
  }
  if (block !== '') writeSync(file, block)
  closeSync(file)
}

function lineOf(record) {
  return `${JSON.stringify(record)}\n`
}

/** A ZIP archive of stored files: up to 65,535 of them, as more need another form. */
function archive(path, count, member) {
  const file = openSync(path, 'w')
  const directory = []
  let at = 0
  for (let number = 0; number < count; number++) {
    const [name, bytes] = member(number).map((text) => Buffer.from(text))
    // Version, flags, method, time, date, checksum, packed and unpacked size, lengths of the name and of the rest.
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt32LE(crc32(bytes), 10)
    about.writeUInt32LE(bytes.length, 14)
    about.writeUInt32LE(bytes.length, 18)
    about.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), about, place, name)
    const whole = Buffer.concat([Buffer.from('PK\x03\x04'), about, name, bytes])
    writeSync(file, whole)
    at += whole.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  writeSync(file, Buffer.concat([listed, Buffer.from('PK\x05\x06'), end]))
  closeSync(file)
}
