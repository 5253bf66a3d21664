/** Reads Python as Python does. Where there is none, or an old one, its tests are skipped. */
import { execFileSync } from 'node:child_process'
import { hasPython } from './live/python.ts'

export { hasPython }

const reader = `
import ast, json, sys

class Blank(ast.NodeTransformer):
    def visit_Constant(self, node):
        if isinstance(node.value, str):
            # JSON would make one character of two halves of a surrogate pair.
            whole = node.value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            words.append(whole if whole == node.value else "halves")
        return ast.Constant(type(node.value).__name__)

answers = []
for text in json.load(sys.stdin):
    words = []
    try:
        tree = Blank().visit(ast.parse(text.encode("utf-8", "surrogatepass")))
        answers.append({"shape": ast.dump(tree), "words": words})
    except Exception as error:
        answers.append({"shape": f"{type(error).__name__}: {error}", "words": []})
json.dump(answers, sys.stdout)
`

export interface Code {
  /** All but what its literals hold; of what is no code, why. */
  readonly shape: string
  readonly words: readonly string[]
}

/** What files hold, given as bytes: a comment may say how they are encoded. */
export function pythonCode(files: readonly string[]): readonly Code[] {
  return JSON.parse(
    execFileSync('python3', ['-c', reader], { input: JSON.stringify(files), encoding: 'utf8', maxBuffer: 1e8 }),
  )
}
