/**
 * The faults that can be made in a source: one change each, of what the program does and never of its words. Which of them are
 * tried is drawn by their hash: an edit elsewhere changes nothing of the draw.
 *
 * `function` has the names around it, from the outermost; `text` the code around it on one line, and `becomes` the same code with
 * the fault. `by` stands instead of what lies from `start` to `end`; `opens` says whether a statement begins with it.
 *
 * @typedef {{
 *   readonly file: string
 *   readonly line: number
 *   readonly function: string
 *   readonly text: string
 *   readonly becomes: string
 *   readonly start: number
 *   readonly end: number
 *   readonly by: string
 *   readonly isStatement: boolean
 *   readonly opens: boolean
 * }} Fault
 */
import { createHash } from 'node:crypto'
import ts from 'typescript'

const { SyntaxKind } = ts
const operators = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
  '||=': ['='],
}
const methods = {
  some: 'every',
  every: 'some',
  find: 'findLast',
  findLast: 'find',
  findIndex: 'findLastIndex',
  findLastIndex: 'findIndex',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  push: 'unshift',
  unshift: 'push',
  pop: 'shift',
  shift: 'pop',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
}
/** Calls that can be left out: what they are called on stands for their value. */
const leftOut = new Set(['filter', 'reverse', 'toReversed', 'sort', 'toSorted', 'slice', 'trim', 'abs', 'concat'])
/** From here on, one more or less is rarely a fault that anybody could see. */
const large = 100
const widest = 100

/** @returns {Fault[]} */
export function faultsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const faults = []
  const names = []

  const textOf = (node) => source.slice(node.getStart(tree), node.end)
  /** The largest part of its statement that is no wider than a line. */
  const aroundOf = (node) => {
    let around = node
    while (!ts.isStatement(around) && around.parent.end - around.parent.getStart(tree) <= widest) around = around.parent
    return around
  }
  const add = (node, by, isStatement = false) => {
    const [start, end] = [node.getStart(tree), node.end]
    const around = isStatement ? node : aroundOf(node)
    const from = around.getStart(tree)
    const becomes = source.slice(from, start) + by + source.slice(end, around.end)
    faults.push({
      file,
      line: tree.getLineAndCharacterOfPosition(start).line + 1,
      function: names.join('.'),
      text: onOneLine(textOf(around)),
      becomes: onOneLine(becomes),
      ...{ start, end, by, isStatement },
      opens: !isStatement && ts.findAncestor(node, ts.isExpressionStatement)?.getStart(tree) === start,
    })
  }

  const ofCondition = (node) => {
    if (!node) return
    add(node, `!(${textOf(node)})`)
    for (const fixed of ['true', 'false']) if (textOf(node) !== fixed) add(node, fixed)
  }

  const ofBinary = (node) => {
    const { left, operatorToken, right } = node
    const operator = operatorToken.getText(tree)
    if (operator === '??') add(node, textOf(left))
    if (operator === '+' && isOfWords(node)) return
    for (const other of operators[operator] ?? []) add(node, `${textOf(left)} ${other} ${textOf(right)}`)
  }

  const ofNumber = (node) => {
    if (isName(node)) return
    const number = Number(node.text)
    if (!Number.isInteger(number)) return add(node, String(number * 2))
    const others = number < large ? [number + 1, number - 1] : [number * 2, 0]
    for (const other of others) add(node, other < 0 ? `(${other})` : String(other))
  }

  const ofCall = (node) => {
    // Parentheses would end the chain.
    const isWithin = ts.isOptionalChain(node) && ts.isOptionalChain(node.parent) && node.parent.expression === node
    if (isWithin) return
    const written = node.arguments.map(textOf)
    // What is largest does not depend on the order.
    const isOrdered = !/^Math\.(max|min|hypot)$/.test(textOf(node.expression))
    for (let at = 1; isOrdered && at < written.length; at++) {
      if (written[at] === written[at - 1] || node.arguments.slice(at - 1, at + 1).some(ts.isSpreadElement)) continue
      const swapped = [...written]
      swapped[at - 1] = written[at]
      swapped[at] = written[at - 1]
      const callee = source.slice(node.getStart(tree), node.arguments.pos)
      add(node, `${callee}${swapped.join(', ')})`)
    }
    if (!ts.isPropertyAccessExpression(node.expression)) return
    const { expression, name } = node.expression
    const behind = source.slice(name.end, node.end)
    if (Object.hasOwn(methods, name.text))
      add(node, source.slice(node.getStart(tree), name.getStart(tree)) + methods[name.text] + behind)
    if (leftOut.has(name.text)) add(node, textOf(expression) === 'Math' ? written[0] : textOf(expression))
  }

  const ofStatement = (node) => {
    if (ts.isReturnStatement(node)) {
      const isLast =
        ts.isBlock(node.parent) && ts.isFunctionLike(node.parent.parent) && node.parent.statements.at(-1) === node
      if (!isLast) add(node, '{}', true)
      else if (node.expression) add(node, 'return undefined', true)
    } else if (ts.isExpressionStatement(node)) {
      const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression
      if (ts.isCallExpression(called) && called.expression.kind !== SyntaxKind.SuperKeyword) add(node, '{}', true)
    } else if (ts.isIfStatement(node)) ofCondition(node.expression)
  }

  const ofExpression = (node) => {
    if (ts.isBinaryExpression(node)) ofBinary(node)
    else if (ts.isNumericLiteral(node)) ofNumber(node)
    else if (ts.isCallExpression(node)) ofCall(node)
    else if (ts.isConditionalExpression(node)) add(node.condition, `!(${textOf(node.condition)})`)
    else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      add(node, textOf(node.operand))
    else if (node.kind === SyntaxKind.TrueKeyword) add(node, 'false')
    else if (node.kind === SyntaxKind.FalseKeyword) add(node, 'true')
  }

  const visit = (node) => {
    if (isTypeOnly(node)) return
    const name = nameOf(node, tree)
    if (name) names.push(name)
    ofStatement(node)
    ofExpression(node)
    ts.forEachChild(node, visit)
    if (name) names.pop()
  }
  visit(tree)
  return faults
}

function isTypeOnly(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  )
}

function nameOf(node, tree) {
  const isNamed =
    ts.isFunctionLike(node) ||
    ts.isClassLike(node) ||
    ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) &&
      node.initializer !== undefined &&
      (ts.isFunctionLike(node.initializer) || ts.isSourceFile(node.parent.parent?.parent ?? node)))
  if (!isNamed) return null
  return ts.isConstructorDeclaration(node) ? 'constructor' : (node.name?.getText(tree) ?? null)
}

/** A key, and no value. */
function isName(node) {
  return node.parent.name === node || node.parent.propertyName === node
}

/** Whether a sum is one of texts, as far as that is to be seen. */
function isOfWords(node) {
  if (ts.isParenthesizedExpression(node)) return isOfWords(node.expression)
  if (ts.isBinaryExpression(node)) return isOfWords(node.left) || isOfWords(node.right)
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

const onOneLine = (text) => text.replace(/\s+/g, ' ').trim()

/** Whether the text of one of the keys may stand in a source. */
export function hasText(source, keys) {
  const line = onOneLine(source)
  return [...keys].some((key) => line.includes(key.slice(key.indexOf(': ') + 2, key.indexOf(' ⇒ '))))
}

/** What a fault is called: where the code moves, the name stays. */
export const keyOf = ({ function: within, text, becomes }) => `${within}: ${text} ⇒ ${becomes}`

/** What of the list of equivalent faults no longer stands in a source: each thing a line. */
export function outdatedEquivalents(equivalent, sources) {
  const codes = sources.map(onOneLine)
  return equivalent
    .filter(({ text }) => !codes.some((code) => code.includes(text)))
    .map(
      ({ function: within, text }) =>
        `equivalent.json: \`${text}\` of ${within} stands in no source. Take it out, or say how it reads now`,
    )
}

/**
 * @param {readonly Fault[]} faults
 * @returns so many of them by a seed, the same each time
 */
export function drawn(faults, count, seed) {
  const seen = new Map()
  const ranked = faults.map((fault) => {
    const key = keyOf(fault)
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return { fault, rank: createHash('sha256').update(`${seed} ${nth} ${key}`).digest('hex') }
  })
  return ranked
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ fault }) => fault)
}

/**
 * A source with all its faults in it, each behind a switch: `$fault(n)` says whether it is on.
 *
 * @param {string} source
 * @param {readonly (Fault & { id: number })[]} faults
 */
export function switched(source, faults) {
  const sorted = [...faults].sort((a, b) => a.start - b.start || b.end - a.end)
  let at = 0
  const render = (from, to) => {
    let code = ''
    for (let place = from; ; ) {
      const fault = sorted[at]
      if (!fault || fault.start >= to) return code + source.slice(place, to)
      at++
      code += source.slice(place, fault.start)
      // Of two faults at one place, the second stands in what the first leaves as it was.
      const as = render(fault.start, fault.end)
      if (fault.isStatement) code += `if ($fault(${fault.id})) { ${fault.by} } else { ${as} }`
      else code += `${fault.opens ? 'void 0, ' : ''}($fault(${fault.id}) ? (${fault.by}) : (${as}))`
      place = fault.end
    }
  }
  return render(0, source.length)
}
