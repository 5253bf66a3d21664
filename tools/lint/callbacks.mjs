/**
 * Finds functions that are handed by name to `map`, `forEach` and their like and have an optional parameter where these hand on
 * the index: they take it for what it is not, and nothing complains. `tools.map(jsonText)` indented the i-th tool by i spaces.
 * Biome does not know the types of what is handed over.
 *
 *     node tools/lint/callbacks.mjs    all of src/; it exits with 1 where it finds one
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The methods of JavaScript that hand a function more than it is there for, and how much it is there for. */
const subjects = new Map([
  ...'map flatMap forEach filter some every find findIndex findLast findLastIndex from fromAsync'
    .split(' ')
    .map((method) => [method, 1]),
  ['reduce', 2],
  ['reduceRight', 2],
])

/** @returns where one stands, and how it reads: a line each */
export function looseCallbacks(program) {
  const checker = program.getTypeChecker()
  const found = []
  for (const source of program.getSourceFiles()) if (!source.isDeclarationFile) visit(source)
  return found

  function visit(node) {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    const method = node.expression.name.text
    const subject = subjects.get(method)
    if (subject === undefined) return
    for (const callback of node.arguments) {
      if (!ts.isIdentifier(callback) && !ts.isPropertyAccessExpression(callback)) continue
      if (!takes(callback, subject)) continue
      const source = callback.getSourceFile()
      const { line } = source.getLineAndCharacterOfPosition(callback.getStart())
      found.push(`${source.fileName}:${line + 1}: ${method}(${callback.getText()})`)
    }
  }

  /** Whether a function need not be given what stands behind its first `subject` arguments, but is. */
  function takes(callback, subject) {
    const signatures = checker.getTypeAtLocation(callback).getCallSignatures()
    const isLoose = (until) =>
      signatures.some((one) => Math.max(subject, one.minArgumentCount) < Math.min(mostOf(one), until))
    // What the method hands on takes far longer to find out.
    return isLoose(Number.POSITIVE_INFINITY) && isLoose(given(callback))
  }

  /** How many arguments the method hands to it. */
  function given(callback) {
    const type = checker.getContextualType(callback)
    const types = type?.isUnion() ? type.types : [type]
    const counts = types.flatMap((one) => one?.getCallSignatures().map(({ parameters }) => parameters.length) ?? [])
    return Math.max(0, ...counts)
  }
}

/** How many arguments a function takes. */
function mostOf({ parameters, declaration }) {
  return declaration?.parameters.some(({ dotDotDotToken }) => dotDotDotToken)
    ? Number.POSITIVE_INFINITY
    : parameters.length
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { config } = ts.readConfigFile(`${root}tsconfig.build.json`, ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const found = looseCallbacks(ts.createProgram(fileNames, options))
  for (const one of found) console.error(relative(root, one))
  if (found.length > 0) {
    console.error(
      'The method hands the index on, too: write `(one) => …` around a function with an optional parameter.',
    )
    process.exitCode = 1
  }
}
