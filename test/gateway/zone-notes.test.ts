/** The annotation in which the webhook notes the former sizes and keys of zones. */
import { describe, expect, it } from 'vitest'
import { formerKey, noted, notesAfter, ZONES_ANNOTATION } from '../../src/gateway/keys/zone-notes.ts'
import { type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { Json } from '../../src/json/member.ts'

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

  it.each<[why: string, versions: [previous: string, written: string, next: string], notes: Json, expected: unknown]>([
    ['nothing changes', ['$uri 10m', '$uri 10m', '$uri 10m'], [], undefined],
    ['the same size is written otherwise', ['$uri 1m', '$uri 1024k', '$uri 1024k'], [], undefined],
    ['the webhook writes another size', ['$host 10m', '$uri 10m', '$uri 11m'], [], REPLACED],
    ['the author wrote no size', ['$host', '$uri', '$uri 11m'], [], REPLACED],
    [
      'the author writes another size',
      ['$host 10m', '$uri 12m', '$uri 12m'],
      [],
      [{ zone: 0, used: used('10m $host') }],
    ],
    ['only the size changes', ['$uri 10m', '$uri 12m', '$uri 12m'], [], [{ zone: 0, used: used('10m $uri') }]],
    ['only the key changes', ['$host 10m', '$uri 10m', '$uri 10m'], [], [{ zone: 0, used: used('10m $host') }]],
    ['the old size stays noted', ['$uri 11m', '$uri 11m', '$uri 11m'], REPLACED, REPLACED],
    ['the author still writes the old size', ['$uri 11m', '$uri 10m', '$uri 11m'], REPLACED, REPLACED],
    [
      'the key changes again',
      ['$uri 11m', '$args 11m', '$args 12m'],
      REPLACED,
      [{ zone: 0, written: '11m', size: '12m', used: used('10m $host', '11m $uri') }],
    ],
    [
      'the key changes and the size of the webhook stays',
      ['$uri 11m', '$args 11m', '$args 11m'],
      REPLACED,
      [{ zone: 0, used: used('10m $host', '11m $uri') }],
    ],
    [
      'the author chooses a third size',
      ['$uri 11m', '$uri 20m', '$uri 20m'],
      REPLACED,
      [{ zone: 0, used: used('10m $host', '11m $uri') }],
    ],
    ['the size before cannot be read', ['$uri 10x', '$uri 10m', '$uri 10m'], [], undefined],
    [
      'the size before cannot be read, beside older ones',
      ['$uri 10x', '$uri 10m', '$uri 10m'],
      [{ zone: 0, used: used('9m $uri') }],
      [{ zone: 0, used: used('9m $uri') }],
    ],
    ['the key before cannot be read', ['"$uri 10m', '$uri 11m', '$uri 11m'], [], undefined],
    ['the size of the author cannot be read', ['$uri 11m', '$uri 11x', '$uri 11m'], [], undefined],
    ['the new size cannot be read', ['$uri 10m', '$uri 10m', '$uri 10x'], [], [{ zone: 0, used: used('10m $uri') }]],
    [
      'the new key cannot be read',
      ['$uri 11m', '"$uri 11m', '"$uri 11m'],
      REPLACED,
      [{ zone: 0, used: used('10m $host', '11m $uri') }],
    ],
    [
      'a pair comes back: it becomes the newest',
      ['$host 10m', '$host 12m', '$host 12m'],
      [{ zone: 0, used: used('10m $host', '10m $uri', '11m $host') }],
      [{ zone: 0, used: used('10m $uri', '11m $host', '10m $host') }],
    ],
    [
      'the oldest of five is forgotten',
      ['$host 5m', '$host 6m', '$host 6m'],
      [{ zone: 0, used: used('1m $host', '2m $host', '3m $host', '4m $host') }],
      [{ zone: 0, used: used('2m $host', '3m $host', '4m $host', '5m $host') }],
    ],
  ])('%s', (_, [previous, written, next], notes, expected) => {
    expect(notedAfter(previous, written, next, notes)).toEqual(expected)
  })

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

  it.each<[string, Json]>([
    ['no JSON', '[{'],
    ['no list', { zone: 0, used: used('9m $host') }],
    ['without a position', [{ used: used('9m $host') }, null, 1]],
    ['a position that is not a number', [{ zone: '0', used: used('9m $host') }]],
    ['sizes that cannot be read', [{ zone: 0, written: '10m', size: '1x', used: [{ size: '9x', key: '$host' }] }]],
    ['a size alone', [{ zone: 0, size: '11m' }]],
    ['a size of the author alone', [{ zone: 0, written: '11m' }]],
    ['sizes and keys that are no strings', [{ zone: 0, written: 10, size: 11, used: [{ size: 9, key: '$host' }] }]],
    ['a former size without its key', [{ zone: 0, used: [{ size: '9m' }, { size: '9m', key: 1 }] }]],
    ['a former key without its size', [{ zone: 0, used: [{ key: '$host' }] }]],
  ])('reads nothing of notes that are damaged: %s', (_, notes) => {
    expect(notedAfter('$uri 11m', '$uri 11m', '$uri 11m', notes)).toBeUndefined()
  })
})

describe('what notes say about a new size', () => {
  const said = (previous: string, current: string, notes: Json = REPLACED) => {
    const view = policy([current], notes)
    const [limit] = view.limits
    return limit && noted(limit, { policy: view, previous: policy([previous]), naming: 'indexed' })
  }

  it.each<[why: string, previous: string, current: string, expected: object]>([
    ['the size stays', '$uri 11m', '$uri 11m', {}],
    ['the same manifest again: the webhook keeps its size', '$uri 11m', '$uri 10m', { kept: '11m', size: '10m' }],
    ['no size is the default of 10m', '$uri 11m', '$uri', { kept: '11m', size: '10m' }],
    ['a third size', '$uri 11m', '$uri 12m', { key: undefined, size: '12m' }],
    ['the zone has another size meanwhile', '$uri 12m', '$uri 10m', { key: '$host', size: '10m' }],
    ['the key changes', '$args 11m', '$uri 10m', { key: '$host', size: '10m' }],
    ['the key comes back', '$uri 11m', '$host 10m', { key: undefined, size: '10m' }],
    ['a key that cannot be read', '$uri 11m', '"$uri 10m', { key: undefined, size: '10m' }],
    ['a key before that cannot be read', '"$uri 11m', '$uri 10m', { key: '$host', size: '10m' }],
    ['a size that cannot be read', '$uri 11m', '$uri 10x', { key: undefined, size: undefined }],
  ])('%s', (_, previous, current, expected) => {
    expect(said(previous, current)).toEqual(expected)
  })

  it('is the same in other units', () => {
    expect(said('$uri 2048k', '$uri 1024k', [{ zone: 0, written: '1m', size: '2m' }])).toEqual({
      kept: '2m',
      size: '1m',
    })
  })

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
