/**
 * `webhook-config/chart`: the base as templates, with a switch for each component. What a switch changes is the
 * line-by-line difference between the base and the base with that component.
 */

import { admissionInstallation } from '../../src/installation/admission.ts'
import { type Choices, COMPONENTS, type ComponentName, type KubeObject } from '../../src/installation/object.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'
import type { Page } from '../docs/page.ts'
import { defaultValues, SUBSTITUTIONS, valuesSchema, webhookValues } from './chart-values.ts'
import { diffLines, type Hunk } from './line-diff.ts'
import { componentNames, fileOf, identityOf, MADE, VERSION } from './parts.ts'

const FOLDER = 'webhook-config/chart'

/** The base, with the values of a chart. Helm creates the namespace itself. */
export const TEMPLATED: Choices = {
  namespace: '{{ .Release.Namespace }}',
  image: '{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}',
  components: new Set<ComponentName>(),
}

/** A component as a value of the chart: `cert-manager` is `certManager`. */
export const switchOf = (name: ComponentName): string =>
  name.replaceAll(/-[a-z]/g, (letter) => letter.slice(1).toUpperCase())

/** Every file of the chart. */
export function chartPages(): readonly Page[] {
  const variants = componentNames().map((name) => ({
    name,
    objects: objectsOf(admissionInstallation({ ...TEMPLATED, components: new Set([name]) })),
  }))
  const base = objectsOf(admissionInstallation(TEMPLATED))
  const all = new Map([...variants.flatMap(({ objects }) => [...objects]), ...base])
  const templates = [...all].map(([identity, object]) => ({
    file: fileOf(object),
    text: template(base.get(identity), (name) => variants.find((one) => one.name === name)?.objects.get(identity)),
  }))
  return [
    ...[...new Set(templates.map(({ file }) => file))].sort().map((file) => ({
      path: `${FOLDER}/templates/${file}`,
      text: MADE + templates.flatMap((one) => (one.file === file ? [one.text] : [])).join(''),
    })),
    { path: `${FOLDER}/Chart.yaml`, text: MADE + writeDocuments([CHART]) },
    { path: `${FOLDER}/values.yaml`, text: `${MADE}${valuesText()}` },
    {
      path: `${FOLDER}/values.schema.json`,
      text: `${JSON.stringify(valuesSchema(webhookValues(switches())), null, 2)}\n`,
    },
  ]
}

/** What Chart.yaml says of every chart. */
export const CHART = {
  apiVersion: 'v2',
  name: 'sluice',
  description: 'Admission webhook for NGINX rate limiting: denies policies that cannot work',
  type: 'application',
  version: VERSION,
  appVersion: VERSION,
  kubeVersion: '>=1.30.0-0',
}

const objectsOf = (objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> =>
  new Map(objects.filter(({ kind }) => kind !== 'Namespace').map((object) => [identityOf(object), object]))

/** One object as a template; `variantOf` returns what a component makes of it, undefined where it removes it. */
function template(base: KubeObject | undefined, variantOf: (name: ComponentName) => KubeObject | undefined): string {
  if (!base) return onlyWith(variantOf)
  const before = linesOf(base)
  const hunks = componentNames().flatMap((name) => {
    const variant = variantOf(name)
    const own = variant ? diffLines(before, linesOf(variant)) : [{ from: 0, to: before.length, lines: [] }]
    return own.map((hunk) => ({ ...hunk, switched: `.Values.${switchOf(name)}` }))
  })
  return substitute(switchedLines(before, hunks))
}

/** An object that only one component adds. */
function onlyWith(variantOf: (name: ComponentName) => KubeObject | undefined): string {
  const [found, another] = componentNames().flatMap((name) => {
    const object = variantOf(name)
    return object ? [{ name, object }] : []
  })
  if (!found || another) throw new Error('an object that is not in the base belongs to one component')
  return substitute([`{{- if .Values.${switchOf(found.name)} }}`, ...linesOf(found.object), '{{- end }}'])
}

/** An object as the lines of a document. */
export const linesOf = (object: KubeObject): readonly string[] => [
  '---',
  ...writeDocuments([object]).trimEnd().split('\n'),
]

type Switched = Hunk & { readonly switched: string }

/** The lines, with every hunk behind its switch. Throws where hunks of two components overlap: they could not be combined. */
function switchedLines(before: readonly string[], hunks: readonly Switched[]): readonly string[] {
  const ordered = hunks.toSorted((a, b) => a.from - b.from)
  const lines: string[] = []
  let done = 0
  for (const { from, to, lines: added, switched } of ordered) {
    if (from < done) throw new Error(`two components change one place: ${before[from]}`)
    lines.push(...before.slice(done, from))
    const removed = before.slice(from, to)
    if (added.length > 0) lines.push(`{{- if ${switched} }}`, ...added, ...(removed.length > 0 ? ['{{- else }}'] : []))
    else lines.push(`{{- if not ${switched} }}`)
    lines.push(...removed, '{{- end }}')
    done = to
  }
  return [...lines, ...before.slice(done)]
}

/** Replaces the values of the base by those of the chart. */
export function substitute(lines: readonly string[]): string {
  const text = `${lines.join('\n')}\n`
  return SUBSTITUTIONS.reduce((left, { base, template: replacement }) => left.replace(base, replacement), text)
}

const switches = () => componentNames().map((name) => ({ name: switchOf(name), does: COMPONENTS[name] }))

const valuesText = (): string =>
  [defaultValues(), ...switches().map(({ name, does }) => `# ${does}\n${name}: false\n`)].join('\n')
