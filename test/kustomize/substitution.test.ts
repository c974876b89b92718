/** Variables are substituted as Flux does, whose answers are recorded. */
import { describe, expect } from 'vitest'
import { createBuilder } from '../../src/kustomize/build.ts'
import { substitute } from '../../src/kustomize/envsubst.ts'
import { createTexts } from '../../src/yaml/documents.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)
const VARIABLES = cases<Readonly<Record<string, string>>>('variables')

describe('a text', () =>
  each<[string, string | null]>('%j becomes %j', (text, expected) => {
    const answer = substitute(text, (name) => VARIABLES[name])
    expect('text' in answer ? answer.text : null).toBe(expected)
  }))

describe('a value', () =>
  each<[string, Readonly<Record<string, string>>, unknown]>('%j with %j is then %j', (value, variables, expected) => {
    const texts = createTexts()
    const object = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a' }, value }
    const flux = { spec: { path: '.', postBuild: { substitute: variables } } }
    const files: Readonly<Record<string, unknown>> = { 'flux.yaml': flux, 'a.yaml': object }
    const read = (path: string) => (path in files ? { file: path, text: JSON.stringify(files[path]) } : undefined)
    const deployment = { product: 'flux', path: 'flux.yaml', start: 0, base: '', source: '/spec' } as const
    const { objects, notes } = createBuilder(read, texts).build('.', { ...deployment, resources: ['a.yaml'] })
    const [built] = objects
    if (expected === undefined) expect(notes.map(({ refusal }) => refusal?.cause)).toContain('substitution')
    else expect(built?.object.value).toEqual(expected)
  }))
