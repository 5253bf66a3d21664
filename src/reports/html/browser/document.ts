/** Elements as nodes of the document. Text becomes text nodes alone, so that nothing in it can be markup. */
import { safe } from '../../../base/quoting.ts'
import type { Child, Element } from '../element.ts'

const svg = 'http://www.w3.org/2000/svg'

export function nodeOf(child: Child, isSvg = false): Node {
  if (typeof child === 'string') return document.createTextNode(child)
  const inSvg = isSvg || child.tag === 'svg'
  const node = inSvg ? document.createElementNS(svg, child.tag) : document.createElement(child.tag)
  for (const [name, value] of Object.entries(child.attributes)) {
    if (value === null || value === false) continue
    node.setAttribute(name, value === true ? '' : String(value))
  }
  for (const inner of child.children) node.append(nodeOf(inner, inSvg))
  return node
}

export function show(place: ParentNode, ...children: readonly (Child | readonly Child[])[]): void {
  const nodes = document.createDocumentFragment()
  for (const child of children.flat()) nodes.append(nodeOf(typeof child === 'string' ? safe(child) : child))
  place.replaceChildren(nodes)
}

export function find<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id)
  if (!found) throw new Error(`no element ${id}`)
  return found as E
}

export type { Element }
