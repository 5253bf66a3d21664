/** Colours for people at a terminal: each means one thing, and none is the only one to say it. */
import { Chalk } from 'chalk'

/**
 * What a colour means: the table of docs/cli.md. Only colours that both dark and light themes can show: of the eight
 * that every terminal has neither white nor black, no bright one, and no background.
 */
export const colours = {
  answer: { style: 'bold', meaning: 'the answer, and the row or the mark that it names' },
  heading: { style: 'underline', meaning: 'the title of what stands below it' },
  good: { style: 'green', meaning: 'saved: cheaper, smaller, within its limit' },
  bad: { style: 'red', meaning: 'lost, dearer, over a limit, or refused by a provider' },
  warning: { style: 'yellow', meaning: 'a warning: damaged, left out, or not sure' },
  aside: { style: 'dim', meaning: 'beside the point: settings, rules, what is the same in all rows' },
} as const

export type Meaning = keyof typeof colours

/** A function for each meaning, which dresses one line of text. */
export type Ink = Readonly<Record<Meaning, (text: string) => string>>

export function inkFor(color: boolean): Ink {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  // Wrapped, because chalk prints all its arguments, also the index that `map` passes.
  return {
    answer: (text) => chalk[colours.answer.style](text),
    heading: (text) => chalk[colours.heading.style](text),
    good: (text) => chalk[colours.good.style](text),
    bad: (text) => chalk[colours.bad.style](text),
    warning: (text) => chalk[colours.warning.style](text),
    aside: (text) => chalk[colours.aside.style](text),
  }
}

/** Where an answer ends and what explains it begins: "Keep what you have." of "Keep what you have. Nothing else …". */
const conclusion = /^.*?(?:[.;](?= )|(?= ·)|$)/

/** Lines that were one sentence or several: the answer itself, which is what stands first, is dressed as such. */
export function dressAnswer(lines: readonly string[], ink: Ink): string[] {
  const words = lines.map((line) => line.trim()).join(' ')
  let left = (conclusion.exec(words)?.[0] ?? '').replaceAll(' ', '').length
  return lines.map((line) => {
    if (left <= 0) return line
    let end = line.length - line.trimStart().length
    const start = end
    for (; end < line.length && left > 0; end++) if (line[end] !== ' ') left--
    return `${line.slice(0, start)}${ink.answer(line.slice(start, end))}${line.slice(end)}`
  })
}
