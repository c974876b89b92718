/** The annotation in which the webhook notes the former sizes and keys of zones. */
import { describe, expect, it } from 'vitest'
import { formerKey, noted, notesAfter, ZONES_ANNOTATION } from '../../src/gateway/keys/zone-notes.ts'
import { type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { Json } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

/** A policy with these limits (`$uri` or `$uri 2m`), and with notes, as a list or as the text of the annotation. */
function policy(limits: readonly string[], notes?: Json): PolicyView {
  const text = typeof notes === 'string' ? notes : JSON.stringify(notes)
  const rules = limits.map((limit) => {
    const [key = '', zoneSize] = limit.split(' ')
    return { key, rate: '1r/s', ...(zoneSize === undefined ? {} : { zoneSize }) }
  })
  return readPolicy({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: {
      name: 'coffee',
      namespace: 'shop',
      annotations: notes === undefined ? {} : { [ZONES_ANNOTATION]: text },
    },
    spec: { targetRefs: [], rateLimit: { local: { rules } } },
  })
}

const used = (...pairs: readonly string[]) =>
  pairs.map((pair) => {
    const [size = '', key = ''] = pair.split(' ')
    return { size, key }
  })

/** The webhook wrote 11m for the 10m of the author when the key changed from `$host`. */
const REPLACED = [{ zone: 0, written: '10m', size: '11m', used: used('10m $host') }]

describe('what is noted after a change', () => {
  const notedAfter = (previous: string, written: string, next: string, notes?: Json) => {
    const text = notesAfter({
      previous: policy([previous]),
      written: policy([written], notes),
      next: policy([next], notes),
    })
    return text === undefined ? undefined : JSON.parse(text)
  }

  each<[why: string, versions: [previous: string, written: string, next: string], notes: Json, expected: unknown]>(
    '%s',
    (_, [previous, written, next], notes, expected) =>
      expect(notedAfter(previous, written, next, notes)).toEqual(expected),
    'what is noted after a change',
  )

  it('is about each limit by its position, and not about new ones and former ones', () => {
    const text = notesAfter({
      previous: policy(['$uri 10m', '$host 10m']),
      written: policy(['$uri 10m', '$host 11m', '$args 10m'], [{ zone: 7, used: used('1m $uri') }]),
      next: policy(['$uri 10m', '$host 11m', '$args 10m']),
    })
    expect(text).toBe('[{"zone":1,"used":[{"size":"10m","key":"$host"}]}]')
  })

  it('leaves former keys out where they are too long for an annotation', () => {
    const notesOf = (length: number) => {
      const rest = JSON.stringify([{ ...REPLACED[0], used: used('10m ') }])
      return [{ ...REPLACED[0], used: used(`10m ${'k'.repeat(length - rest.length)}`) }]
    }
    const kept = (length: number) => notedAfter('$uri 11m', '$uri 11m', '$uri 11m', notesOf(length))
    expect(kept(16_384)).toEqual(notesOf(16_384))
    expect(kept(16_385)).toEqual([{ zone: 0, written: '10m', size: '11m' }])
  })

  each<[string, Json]>('reads nothing of notes that are damaged: %s', (_, notes) =>
    expect(notedAfter('$uri 11m', '$uri 11m', '$uri 11m', notes)).toBeUndefined(),
  )
})

describe('what notes say about a new size', () => {
  const said = (previous: string, current: string, notes: Json = REPLACED) => {
    const view = policy([current], notes)
    const [limit] = view.limits
    return limit && noted(limit, { policy: view, previous: policy([previous]), naming: 'indexed' })
  }

  each<[why: string, previous: string, current: string, expected: object]>(
    '%s',
    (_, previous, current, expected) => expect(said(previous, current)).toEqual(expected),
    'what notes say about a new size',
  )

  it('is the same in other units', () =>
    expect(said('$uri 2048k', '$uri 1024k', [{ zone: 0, written: '1m', size: '2m' }])).toEqual(
      cases('is the same in other units'),
    ))

  it('is nothing without notes, and about a new limit', () => {
    expect(said('$uri 11m', '$uri 10m', [])).toEqual({ key: undefined, size: '10m' })
    const view = policy(['$uri 11m', '$uri 10m'], [{ zone: 1, used: used('10m $host') }])
    expect(
      view.limits.map((limit) => noted(limit, { policy: view, previous: policy(['$uri 11m']), naming: 'indexed' })),
    ).toEqual([{}, {}])
  })
})

describe('the former key of a zone', () => {
  const former = (current: string, bytes: number | undefined, ...pairs: readonly string[]) => {
    const view = policy([current], [{ zone: 0, used: used(...pairs) }])
    const [limit] = view.limits
    return limit && formerKey(limit, view, { bytes, naming: 'indexed' })
  }
  const MEGABYTE = 1024 ** 2

  it('is the newest other one of that size', () => {
    expect(former('$uri', MEGABYTE, '1m $host', '1024k $args', '2m $scheme')).toBe('$args')
    expect(former('$uri', MEGABYTE, '1m $host', '1m $uri')).toBe('$host')
    expect(former('$uri', MEGABYTE, '1m $uri')).toBeUndefined()
    expect(former('"$uri"', MEGABYTE, '1m $uri')).toBeUndefined()
    expect(former('$uri', 3 * MEGABYTE, '1m $host')).toBeUndefined()
  })

  it('is of no zone that is named by its key', () => {
    const view = policy(['$uri'], [{ zone: 0, used: used('1m $host') }])
    const [limit] = view.limits
    expect(limit && formerKey(limit, view, { bytes: MEGABYTE, naming: 'keyed' })).toBeUndefined()
  })

  it('is not known where key or size cannot be read', () => {
    expect(former('"$uri', MEGABYTE, '1m $host')).toBeUndefined()
    expect(former('$uri', undefined, '1m $host')).toBeUndefined()
  })
})
