/** Fixed texts of every fixture, against the patches of the webhook and an independent implementation of JSON Patch. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { apply_patch as applyPatch } from 'jsonpatch'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { type FixedSources, type FixKind, fixSources } from '../../src/lint/fix.ts'
import { lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'
import { textOf } from '../../src/project/source.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { unifiedDiff } from '../../src/reports/unified-diff.ts'
import { patchObject } from '../../src/servers/admission/mutate.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { type Fixture, readFixtures } from '../fixtures.ts'
import { unknownWorld } from '../subjects.ts'

const SAFE: ReadonlySet<FixKind> = new Set(['safe'])
const ALL: ReadonlySet<FixKind> = new Set(['safe', 'opt-in'])
const ANY = { mentions: /(?:)/ }

const sourceOf = ({ name, namespace }: Fixture, text: string): Source => ({
  file: name,
  text,
  ...(namespace ? { namespace } : {}),
})

/** Fixes a text as the fixture of a rule is judged. */
function fixText(fixture: Fixture, text: string, kinds: ReadonlySet<FixKind>): FixedSources {
  const previous = fixture.previous === undefined ? [] : [sourceOf(fixture, fixture.previous)]
  const judge = (sources: readonly Source[]) => lint(sources, { ...fixture.options, previous })
  const sources = [sourceOf(fixture, text)]
  return fixSources(sources, judge(sources), { kinds, judge })
}

const textIn = ({ sources: [source] }: FixedSources): string => (source ? textOf(source) : '')

/** The objects of a text, those of Lists among them. */
const objectsIn = (text: string): readonly JsonObject[] =>
  readDocuments(text, ANY).flatMap(({ value }) => unfolded(value))

const unfolded = (value: unknown): readonly JsonObject[] => {
  if (!isObject(value)) return []
  const { kind, items } = value
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items.flatMap(unfolded) : [value]
}

/** The object as the webhook changes it: with the patch of its response applied. */
function mutated(object: JsonObject, oldObject: JsonObject | undefined, { options, namespace }: Fixture): unknown {
  const { admission } = DEFAULT_PROJECT
  const keyChange = 'resize' as const
  const project = { ...DEFAULT_PROJECT, settings: options.settings, admission: { ...admission, keyChange } }
  const review = {
    uid: '1',
    operation: oldObject ? ('UPDATE' as const) : ('CREATE' as const),
    namespace: namespace?.fallback,
    name: '',
    subResource: '',
    dryRun: false,
    object: structuredClone(object),
    oldObject,
  }
  const view = { world: unknownWorld(), synced: true, notSynced: [] }
  return applyPatch(
    structuredClone(object),
    patchObject(review, createReviewer(project, { rules: RULES, systems: SYSTEMS }), view).patch,
  )
}

const identityOf = ({ kind, metadata }: JsonObject): string =>
  JSON.stringify([kind, isObject(metadata) ? [metadata.namespace, metadata.name] : []])

/** The version before the change, where no other object could be taken for it. */
function before(object: JsonObject, now: readonly JsonObject[], text: string | undefined): JsonObject | undefined {
  const isSame = (other: JsonObject) => identityOf(other) === identityOf(object)
  const candidates = text === undefined ? [] : objectsIn(text).filter(isSame)
  return now.filter(isSame).length === 1 && candidates.length === 1 ? candidates[0] : undefined
}

const fixtures = readFixtures()
const bad = fixtures.filter(({ name }) => name.startsWith('bad'))
/** What a comment suppresses in a text is not fixed there; no comment reaches the webhook, and nothing of the mesh. */
const spoken = fixtures.filter(({ rule }) => rule !== 'document/suppression' && !rule.startsWith('mesh/'))
const record = process.env.SLUICE_RECORD === '1'

describe('fixing the text of a fixture', () => {
  it.each(spoken)('makes of $rule/$name what the webhook makes of its objects', (fixture) => {
    const after = textIn(fixText(fixture, fixture.text, ALL))
    const [was, is] = [objectsIn(fixture.text), objectsIn(after)]
    const wanted = was.map((object, index) => {
      // Only the text can be fixed where the API server does not know the object.
      const { apiVersion = object.apiVersion, kind = object.kind } = is[index] ?? {}
      const known = {
        ...object,
        ...(apiVersion === undefined ? {} : { apiVersion }),
        ...(kind === undefined ? {} : { kind }),
      }
      const patched = mutated(known, before(object, was, fixture.previous), fixture)
      // Its notes about zones are for the webhook alone.
      return object.metadata === undefined ? patched : { ...Object(patched), metadata: object.metadata }
    })
    expect(is).toEqual(wanted)
  })

  it.each(bad)('moves in $rule/$name what the recorded diff moves, and no other byte', (fixture) => {
    const after = textIn(fixText(fixture, fixture.text, ALL))
    const diff = after === fixture.text ? '' : unifiedDiff([{ file: fixture.name, before: fixture.text, after }])
    const path = fixture.path.replace(/\.\w+$/, '.diff')
    if (record && diff !== '') writeFileSync(path, diff)
    if (record && diff === '') rmSync(path, { force: true })
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '', 'npm run fixtures').toBe(diff)
  })

  it.each(fixtures)('changes nothing in $rule/$name when it is done again', (fixture) => {
    for (const kinds of [SAFE, ALL]) {
      const once = textIn(fixText(fixture, fixture.text, kinds))
      expect(textIn(fixText(fixture, once, kinds))).toBe(once)
    }
  })

  it.each(fixtures)('leaves nothing in $rule/$name that could be fixed', (fixture) => {
    const { left, outcome } = fixText(fixture, fixture.text, ALL)
    expect([left, outcome.fixes.size]).toEqual([[], 0])
  })
})
