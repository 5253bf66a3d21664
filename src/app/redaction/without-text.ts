/** A page without a word of the transcripts: what names something is numbered, and of paths the last part is left. */
import { pathWord, shellCommand } from '../../base/quoting.ts'
import type { Page, PagePicture } from '../../model/page.ts'
import type { Diagnostic, Run } from '../../model/run.ts'
import type { Sessions } from '../../model/sessions.ts'
import { lookupModel } from '../../models/lookup.ts'
import type { ModelTable } from '../../models/table.ts'
import { answerLines } from '../../reports/sessions.ts'

/** A run without the names of models that are not in the table. */
export function withoutModels<R extends Pick<Run, 'model' | 'unpriced'>>(run: R, table: ModelTable): R {
  const unpriced = run.unpriced.map(
    ([model, calls]) => [model === '' ? model : (knownModel(model, table) ?? 'an unknown model'), calls] as const,
  )
  return { ...run, model: knownModel(run.model, table), unpriced }
}

/** The name of a model that is in the table: any other was chosen by whoever wrote the transcript. */
function knownModel(model: string | null, table: ModelTable): string | null {
  return model !== null && lookupModel(model, table) ? model : null
}

export function withoutText(page: Page, sessions: Sessions, table: ModelTable, inShares: boolean): Page {
  const projectOf = numbered('project')
  const toolOf = numbered('tool')
  const bare = <S extends Page['sessions'][number] | Sessions['sessions'][number]>(session: S): S => ({
    ...session,
    session: null,
    title: null,
    file: fileName(session.file),
    project: projectOf(session.project),
    model: knownModel(session.model, table),
  })
  const inTranscript = <T extends { transcript: string; conversation: string | null }>(one: T): T => ({
    ...one,
    transcript: fileName(one.transcript),
    conversation: null,
  })
  const ofTool = <T extends { tool: string | null; server: string | null }>(one: T): T => ({
    ...one,
    tool: toolOf(one.tool === null ? null : JSON.stringify([one.server, one.tool])),
    server: null,
  })
  const { spending } = page
  const spentBare = spending && {
    ...spending,
    parts: spending.parts.map(ofTool),
    results: spending.results.map((result) => inTranscript(ofTool(result))),
    misses: spending.misses.map(inTranscript),
  }
  return {
    ...page,
    answer: answerLines(
      { ...sessions, sessions: sessions.sessions.map(bare) },
      { history: ({ file }) => shellCommand(['ctxwin', 'history', pathWord(file)]), recommend: 'ctxwin recommend' },
      inShares,
    ),
    sessions: page.sessions.map((session) => {
      const parts = session.series.parts.map((part) => ofTool({ ...part, server: null }))
      return { ...bare(session), series: { ...session.series, parts: parts.map(({ server: _, ...part }) => part) } }
    }),
    spending: spentBare,
  }
}

/** A picture that was made without words, with nothing but the name of its file. */
export function pictureWithoutText(one: PagePicture): PagePicture {
  const { picture } = one
  return { ...one, picture: { ...picture, transcript: fileName(picture.transcript), conversation: null, model: null } }
}

/** What is said of a file, with nothing but its name. */
export function withoutPath(diagnostic: Diagnostic): Diagnostic {
  const { file, code, message } = diagnostic
  const words = code === 'copy' ? 'a session that another file has too: counted once in totals' : message
  return { ...diagnostic, file: fileName(file), message: words }
}

/** Names replaced by numbers, in the order in which they are met. */
function numbered(thing: string): (name: string | null) => string | null {
  const numbers = new Map<string, number>()
  return (name) => {
    if (name === null) return null
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return `${thing} ${number}`
  }
}

function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) as string
}
