import { describe, expect, it } from 'vitest'
import { callables, definedTools, toolSpecs } from '../../src/providers/tool-spec.ts'

describe('the functions of a tool', () => {
  const declared = {
    functionDeclarations: [
      {
        name: 'read',
        parameters: { type: 'OBJECT', properties: { paths: { type: 'ARRAY', items: { type: 'STRING' } } } },
      },
      { name: 'stop' },
    ],
  }

  it('are those that have a schema, with Google’s names of types as JSON schema has them', () => {
    expect(callables(declared)).toEqual([
      {
        name: 'read',
        description: '',
        parameters: { type: 'object', properties: { paths: { type: 'array', items: { type: 'string' } } } },
      },
    ])
  })

  it('are counted as recorded', () => expect(toolSpecs(declared)[0]?.parameters).toMatchObject({ type: 'OBJECT' }))

  it('leave a property that is called type, and what nests too deep', () => {
    let deep: unknown = { type: 'OBJECT' }
    for (let level = 0; level < 20_000; level++) deep = { items: deep }
    const parameters = { properties: { type: { enum: ['OBJECT'] } }, type: 'lamp', deep }
    expect(callables({ name: 'a', parameters })[0]?.parameters.properties).toEqual({ type: { enum: ['OBJECT'] } })
  })
})

it('of a namespace are its tools, which may name it themselves', () => {
  const [list, read] = ['list', 'read'].map((name) => ({ type: 'function', name, inputSchema: {} }))
  const around = definedTools([{ type: 'namespace', name: 'app', tools: [list, read] }])
  expect(around).toEqual([
    { name: 'list', server: 'app', definition: list },
    { name: 'read', server: 'app', definition: read },
  ])
  expect(definedTools([{ ...list, namespace: 'app' }])).toMatchObject([{ name: 'list', server: 'app' }])
  expect(definedTools([{ type: 'namespace', name: 'app', tools: [] }])).toMatchObject([{ name: 'app', server: null }])
})
