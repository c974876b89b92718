/**
 * Manifests to inject: `test/fixtures/inject/*`, found, not listed. A first line `# inject: {ignoreIncomingPorts: [9000]}`
 * has options, where `config` is a part of the mesh's configuration; `NAME.out` beside it holds what comes out.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { type Injected, type InjectOptions, inject } from '../../src/mesh/inject/inject.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/inject/', import.meta.url))

/** One text to inject. */
export type InjectFixture = {
  readonly name: string
  readonly text: string
  readonly options: InjectOptions
  /** The file with what comes out. */
  readonly expected: string
}

const NO_OPTIONS = { config: {}, names: apiNames() } as const satisfies InjectOptions

/** Reads every text, in order of name. */
export const readInjectFixtures = (): readonly InjectFixture[] =>
  readdirSync(FOLDER)
    .filter((file) => !file.endsWith('.out'))
    .map((name) => {
      const text = readFileSync(FOLDER + name, 'utf8')
      const line = /^# inject: (.*)$/m.exec(text)?.[1] ?? '{}'
      return { name, text, options: { ...NO_OPTIONS, ...(load(line) as JsonObject) }, expected: `${FOLDER}${name}.out` }
    })

/** Injects a text: what comes out, and a line for each error. */
export function printInjected(outcome: Injected): string {
  const lines = (outcome.ok ? outcome.unread : outcome.errors).map(
    ({ document, field, message, line, column }) =>
      `${line}:${column} document ${document}, ${field || '-'}: ${message}\n`,
  )
  const left = outcome.ok
    ? outcome.objects.flatMap(({ name, message }) => (message === undefined ? [] : [`# ${name}: ${message}\n`]))
    : []
  return [outcome.ok ? outcome.text : '', ...lines, ...left].join('')
}

/** Injects with the configuration of a new mesh. */
export const injectNew = (text: string, options: Partial<InjectOptions> = {}): Injected =>
  inject(text, { ...NO_OPTIONS, ...options })
