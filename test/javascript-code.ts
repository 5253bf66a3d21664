/** Reads JavaScript by the parser of TypeScript. */
import ts from 'typescript'
import type { Code } from './python-code.ts'

export function javascriptCode(text: string): Code {
  const file = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] }
  if (parseDiagnostics.length > 0) return { shape: `SyntaxError: ${parseDiagnostics[0]?.messageText}`, words: [] }
  const words: string[] = []
  const shapeOf = (node: ts.Node): string => {
    if (ts.isStringLiteral(node)) words.push(node.text)
    const inner: string[] = []
    ts.forEachChild(node, (child) => void inner.push(shapeOf(child)))
    const own = ts.isStringLiteral(node) || inner.length > 0 ? '' : node.getText()
    return `${ts.SyntaxKind[node.kind]}(${own}${inner.join()})`
  }
  return { shape: shapeOf(file), words }
}
