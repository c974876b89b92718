/** Objects of all kinds with hostile values at any member, as texts and as they are. */
import { isDeepStrictEqual } from 'node:util'
import fastJsonPatch from 'fast-json-patch'
import { dump } from 'js-yaml'
import { RULES } from '../../rules/index.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { fix, type Source } from '../../src/index.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { patchObject } from '../../src/servers/admission/mutate.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { unknownWorld } from '../../test/subjects.ts'
import { ANY, problemsOf } from '../core/manifests.ts'
import { mutatedValue } from '../core/mutate.ts'
import { isTrue, listAt, textAt } from '../core/read.ts'
import { KINDS, POLICY } from '../core/samples.ts'
import type { Input, Problem, Target } from '../core/target.ts'

const FORMS = ['json', 'pretty', 'yaml', 'flow', 'list', 'object'] as const
const ASKED = ['lint', 'lint', 'fix', 'fix', 'queries', 'webhook'] as const

/** Hostile values at members of every kind. */
export const OBJECTS: Target = {
  name: 'objects',
  reads: 'objects of all kinds: lint, fixes, status, render, effective',
  make(random) {
    const asked = random.pick(ASKED)
    const policy = () => mutatedValue(random, POLICY)
    const others = asked === 'webhook' ? [] : KINDS.filter(() => random.below(3) > 0)
    const changed = others.map((other) => (random.below(2) === 0 ? mutatedValue(random, other) : other))
    const policies = asked !== 'webhook' && random.below(3) === 0 ? [policy(), policy()] : [policy()]
    return {
      asked,
      form: asked === 'webhook' ? random.pick(['json', 'pretty', 'yaml']) : random.pick(FORMS),
      closedWorld: asked !== 'webhook' && random.below(2) === 0,
      objects: [...changed, ...policies],
      previous: random.below(4) === 0 ? [policy()] : [],
    }
  },
  async open() {
    return { check }
  },
}

function check(input: Input): readonly Problem[] {
  const sources = sourcesOf(listAt(input, 'objects'), textAt(input, 'form'))
  const options = {
    closedWorld: isTrue(input, 'closedWorld'),
    ...(listAt(input, 'previous').length > 0 ? { previous: sourcesOf(listAt(input, 'previous'), 'json') } : {}),
  }
  const asked = textAt(input, 'asked')
  return asked === 'webhook' ? webhookProblems(sources, listAt(input, 'objects')) : problemsOf(asked, sources, options)
}

/** Objects as someone may have written them. */
function sourcesOf(objects: readonly Json[], form: string): readonly Source[] {
  if (form === 'object') return objects.filter(isObject).map((object) => ({ object }))
  return [{ file: form === 'json' ? 'a.json' : 'a.yaml', text: textIn(objects, form) }]
}

function textIn(objects: readonly Json[], form: string): string {
  switch (form) {
    case 'pretty':
      return objects.map((object) => JSON.stringify(object, undefined, 2)).join('\n---\n')
    case 'yaml':
      return objects.map((object) => dump(object)).join('---\n')
    case 'flow':
      return objects.map((object) => dump(object, { flowLevel: 3 })).join('---\n')
    case 'list':
      return dump({ apiVersion: 'v1', kind: 'List', items: objects })
    default:
      return objects.map((object) => JSON.stringify(object)).join('\n---\n')
  }
}

const REVIEWER = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: SYSTEMS })

/** What only a text can have fixed: which object it is, and fields that the webhook never changes. */
const TEXT_ONLY = /^\/(?:apiVersion|kind|metadata|spec\/rateLimit\/(?:dryRun|logLevel|rejectCode))(?:\/|$)/

/** The safe fixes of a text are what the webhook makes of its object. */
function webhookProblems(sources: readonly Source[], [written]: readonly Json[]): readonly Problem[] {
  const [source] = sources
  // As the API server sends it: no value is in two places.
  const object: Json = JSON.parse(JSON.stringify(written ?? null))
  if (!source || 'object' in source || !isObject(object)) return []
  const [document, ...others] = readDocuments(source.text, ANY)
  if (!document || others.length > 0 || !isDeepStrictEqual(document.value, object)) return []
  const { fixes, report } = lint(sources)
  const isTextOnly = [...fixes.values()].some(({ patch }) => patch.some(({ path }) => TEXT_ONLY.test(path)))
  const { metadata } = object
  const isLeaving = isObject(metadata) && metadata.deletionTimestamp !== undefined
  if (isTextOnly || isLeaving || report.suppressed.length > 0) return []
  const fixed = fix(sources)
  if (!fixed.ok) return [{ what: 'fix: fault', detail: JSON.stringify(fixed.problems) }]
  if (fixed.value.left.length > 0) return []
  const text = fixed.value.changed[0]?.text ?? source.text
  const got = readDocuments(text, ANY)[0]?.value
  const wanted = patchedByWebhook(object)
  if (isDeepStrictEqual(got, wanted)) return []
  return [
    { what: "a fixed text is not the webhook's object", detail: `${JSON.stringify(got)}\n${JSON.stringify(wanted)}` },
  ]
}

function patchedByWebhook(object: JsonObject): unknown {
  const review = {
    ...{ uid: '1', operation: 'CREATE' as const, namespace: undefined, name: '', subResource: '', dryRun: false },
    object,
    oldObject: undefined,
  }
  const { patch } = patchObject(review, REVIEWER, { world: unknownWorld(), synced: true, notSynced: [] })
  return fastJsonPatch.applyPatch(structuredClone(object), [...patch], true, true).newDocument
}
