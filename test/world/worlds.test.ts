/** What texts make of worlds: one for all, several apart, names that change on the way, and what there was before a change. */
import { expect, it } from 'vitest'
import { fixSources } from '../../src/lint/fix.ts'
import { lint } from '../../src/lint/lint.ts'
import { type Source, textOf } from '../../src/project/source.ts'
import { casesOf } from '../support/cases.ts'
import { sourceOf } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

/** Texts by file: their objects, and what is known of the text beside them. */
type Texts = Readonly<Record<string, readonly string[] | (Partial<Source> & { readonly objects: readonly string[] })>>

const sourcesOf = (texts: Texts): readonly Source[] =>
  Object.entries(texts).map(([file, content]) => {
    if (Array.isArray(content)) return sourceOf(file, content)
    const { objects, ...more } = content as Partial<Source> & { readonly objects: readonly string[] }
    return sourceOf(file, objects, more)
  })

const foundIn = (texts: Texts, closedWorld: boolean, before: Texts = {}): readonly string[] =>
  lint(sourcesOf(texts), { closedWorld, previous: sourcesOf(before) }).report.findings.map(
    ({ rule, severity, object }) => `${object.name} ${severity} ${rule}`,
  )

each<[string, Texts, readonly string[]]>('texts that are all there is %s', (_, texts, found) =>
  expect(foundIn(texts, true)).toEqual(found),
)

each<[string, Texts, readonly string[]]>('texts beside others %s', (_, texts, found) =>
  expect(foundIn(texts, false)).toEqual(found),
)

each<[string, Texts, Texts, readonly string[]]>('a version before the change %s', (_, before, texts, found) =>
  expect(foundIn(texts, true, before)).toEqual(found),
)

each<[string, Texts, Texts, readonly string[]]>(
  'a version before the change, beside others, %s',
  (_, before, texts, found) => expect(foundIn(texts, false, before)).toEqual(found),
)

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

/** True where the lint says of a change from some objects to others that nginx will refuse it. */
const isRefused = (before: readonly string[], now: readonly string[], closedWorld: boolean): boolean => {
  const [old, current] = [before, now].map((objects) => objects.map((words, at) => sourceOf(`${at}.json`, [words])))
  const { findings } = lint(current ?? [], { previous: old ?? [], closedWorld }).report
  return findings.some(({ rule }) => rule === KEY_CHANGE)
}

each<[string, readonly string[], readonly string[], readonly [closed: boolean, open: boolean]]>(
  'a key that changes %s: refused in a closed world, in an open one',
  (_, before, now, refused) => expect([isRefused(before, now, true), isRefused(before, now, false)]).toEqual(refused),
)

it('objects are never shown with what stands for their namespace', () => {
  const texts = [sourceOf('a.yaml', ['policy a@-', 'policy b@- on Gateway/x', 'gateway shop@-'])]
  const { report } = lint(texts, { closedWorld: true })
  expect(JSON.stringify(report)).not.toMatch(/\\u0000|text a\.yaml/)
  expect(report.findings.map(({ message, object }) => [object.namespace, message])).toEqual([
    ['', 'Gateway "x" does not exist'],
  ])
})

it('a text of several worlds is judged once', () => {
  const shared = sourceOf('base.yaml', ['policy a', 'gateway shop'], { world: ['east', 'west'] })
  const others = ['east', 'west'].map((world) => sourceOf(`${world}.yaml`, [`policy ${world}`], { world }))
  const { report } = lint([shared, ...others])
  expect(report.findings.map(({ rule, object }) => `${object.name} ${rule}`)).toEqual(
    cases('a text of several worlds is judged once'),
  )
  expect(report.summary).toMatchObject({ files: 3, documents: 4 })
})

it('a text of several worlds has one finding where all agree, and the fix of it is made once', () => {
  const text = textOf(sourceOf('base.yaml', ['policy a'])).replace('gateway.nginx.org', 'gateway.nginx.com')
  const outcome = lint([{ file: 'base.yaml', text, world: ['east', 'west'] }])
  expect(outcome.report.findings.map(({ rule }) => rule)).toEqual(['gateway/api-version'])
  const [fix] = outcome.fixes.values()
  const { sources, fixed } = fixSources(fix ? [fix.origin.source] : [], outcome, {
    kinds: new Set(['safe']),
    judge: (texts) => lint(texts),
  })
  expect([...fixed]).toEqual([['base.yaml', 1]])
  expect(sources.map(textOf).join('')).toContain('gateway.nginx.org/v1alpha1')
})
