/** Every fixture of every gateway rule through the webhook: it reports what lint reports. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { shortened } from '../../src/admission/response.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { IGNORE_ANNOTATION } from '../../src/kubernetes/api-groups.ts'
import { lint } from '../../src/lint/lint.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import type { TextSource } from '../../src/project/source.ts'
import { type JudgedWorld, type LocatedSubject, subjectsOf } from '../../src/project/subjects.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import type { World } from '../../src/world/world.ts'
import { type Fixture, readFixtures } from '../fixtures.ts'
import { withCreationOfNamespaces, worldsIn } from '../subjects.ts'
import { createWebhook, reviewOf } from './reviews.ts'

/** A cluster stores each identity once. */
const OF_FILES = 'gateway/duplicate-object'

const fixtures = readFixtures().filter(({ rule }) => rule.startsWith('gateway/') && rule !== OF_FILES)

const sourceOf = ({ name, namespace }: Fixture, text: string): TextSource => ({
  file: name,
  text,
  ...(namespace ? { namespace } : {}),
})

/** What the lint would see of a fixture: its policies with their earlier versions and their world, and its findings. */
function lintOf(fixture: Fixture) {
  const { text, previous, options } = fixture
  const source = sourceOf(fixture, text)
  const before = previous === undefined ? [] : [sourceOf(fixture, previous)]
  const worlds = worldsIn([source], { ...options, previous: before })
  const subjects = worlds.flatMap((judged) => [...subjectsOf(judged)].map((subject) => ({ ...subject, judged })))
  const { findings } = lint([source], { ...options, previous: before }).report
  return { subjects: subjects.filter(isPolicy), findings }
}

/** Manifests do not have the age of a namespace; in new ones the webhook only warns about targets elsewhere. */
const LONG_AGO = { state: 'found', value: 0 } as const

type Judged = LocatedSubject & { readonly judged: JudgedWorld }
type PolicySubject = Judged & { readonly object: JsonObject }

const isPolicy = (subject: Judged): subject is PolicySubject => subject.object !== undefined

let world: World
/** A webhook for each settings, with the world of whoever asks. */
const webhooks = new Map<Settings, ReturnType<typeof createWebhook>>()

function webhookOf(settings: Settings) {
  const known = webhooks.get(settings)
  if (known) return known
  const made = createWebhook({ settings, admission: { strict: true, crossObject: 'deny' }, world: () => world })
  webhooks.set(settings, made)
  return made
}

async function answersOf(
  { subjects }: { readonly subjects: readonly PolicySubject[] },
  { options }: Fixture,
  change: (object: object) => object = (object) => object,
) {
  const said: { readonly causes: readonly object[]; readonly warnings: readonly string[] }[] = []
  for (const { object, identity, previous, judged } of subjects) {
    world = withCreationOfNamespaces(judged.world, LONG_AGO)
    const { status, warnings = [] } = await webhookOf(options.settings ?? DEFAULT_SETTINGS).ask(
      '/validate',
      reviewOf({
        operation: previous ? 'UPDATE' : 'CREATE',
        object: change(object),
        oldObject: previous?.object ?? null,
        namespace: identity.namespace,
        name: identity.name,
      }),
    )
    const details = status?.details as { readonly causes: readonly object[] } | undefined
    said.push({ causes: details?.causes ?? [], warnings })
  }
  return { causes: said.flatMap(({ causes }) => causes), warnings: said.flatMap(({ warnings }) => warnings) }
}

/** The one difference: the author of a policy does not see the namespaces of others. */
const withoutNamespaces = (finding: ReportedFinding): ReportedFinding => ({
  ...finding,
  message: finding.message.replace(/, but in "[^"]+"$/, ', but in another one'),
  help: finding.help.replace(
    /^Move the policy to namespace "[^"]+"\.$/,
    'Move the policy to the namespace of its target.',
  ),
})

const causeOf = (finding: ReportedFinding) => {
  const { rule, message, help, pointer } = withoutNamespaces(finding)
  return { reason: rule, message: `${message}. ${help}`, field: fieldPath(pointer) }
}

const warningOf = ({ rule, message, pointer }: ReportedFinding) =>
  shortened(`${fieldPath(pointer)}: ${message}`, ` [${rule}]`)

const sorted = <Value>(values: readonly Value[]): readonly Value[] =>
  [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** Ignores all rules by an annotation; undefined where the object has no metadata. */
function ignoringAll(object: object): object {
  const metadata = 'metadata' in object && isObject(object.metadata) ? object.metadata : undefined
  if (!metadata) return object
  const others = isObject(metadata.annotations) ? metadata.annotations : {}
  const annotations = { ...others, [IGNORE_ANNOTATION]: RULES.map(({ id }) => id).join(', ') }
  return { ...object, metadata: { ...metadata, annotations } }
}

/** Whatever is wrong with the annotations themselves goes with them. */
const isElsewhere = (cause: object): boolean => !('field' in cause && String(cause.field).includes('annotations'))

const hasAnnotations = (object: object): boolean => ignoringAll(object) !== object

describe.each(fixtures.map((fixture) => ({ title: `${fixture.rule} ${fixture.name}`, fixture })))(
  '$title',
  ({ fixture }) =>
    it('is for the webhook what it is for lint; an annotation suppresses its warnings, and no denial', async () => {
      const linted = lintOf(fixture)
      const { causes, warnings } = await answersOf(linted, fixture)
      const errors = linted.findings.filter(({ severity }) => severity === 'error')
      const others = linted.findings.filter(({ severity }) => severity !== 'error')
      expect(sorted(causes)).toEqual(sorted(errors.map(causeOf)))
      expect(sorted(warnings)).toEqual(sorted(others.map(warningOf)))
      const asked = await answersOf(linted, fixture, ignoringAll)
      expect(asked.causes.filter(isElsewhere)).toEqual(causes.filter(isElsewhere))
      if (linted.subjects.every(({ object }) => hasAnnotations(object))) expect(asked.warnings).toEqual([])
    }),
)
