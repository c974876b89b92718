/** Whom an extension API server believes: the pure parts. `test/cluster/aggregation` has the real API server. */
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readAuthenticationConfig } from '../../src/cluster/delegation/authentication-config.ts'
import { commonNameOf, isIssuedBy, userOfCertificate } from '../../src/cluster/delegation/client-certificate.ts'
import { bearerToken, userOfHeaders } from '../../src/cluster/delegation/request-headers.ts'
import { createExpiringCache } from '../../src/cluster/delegation/reviews.ts'
import { clientAuthority } from '../nginx/api-management/certificates.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const CONFIG = cases<Readonly<Record<string, string>>>('CONFIG')

describe('the ConfigMap', () => {
  it('says whom to trust', () =>
    expect(readAuthenticationConfig({ data: CONFIG })).toEqual(cases('says whom to trust')))

  it.each([
    ['no data', {}],
    ['no authority', { data: { ...CONFIG, 'requestheader-client-ca-file': ' ' } }],
    ['no header of users', { data: { ...CONFIG, 'requestheader-username-headers': '[]' } }],
  ])('with %s lets no header be believed', (_, object) =>
    expect(readAuthenticationConfig(object).requestHeader).toBeUndefined(),
  )

  it.each(['aggregator', '{}', '[1]', '"aggregator"'])('with allowed names %s is refused as a whole', (names) =>
    expect(() => readAuthenticationConfig({ data: { ...CONFIG, 'requestheader-allowed-names': names } })).toThrow(
      'requestheader-allowed-names',
    ),
  )
})

describe('the headers of the aggregator', () => {
  const { requestHeader } = readAuthenticationConfig({
    data: { ...CONFIG, 'requestheader-uid-headers': '["X-Remote-Uid"]' },
  })
  const userOf = (headers: NodeJS.Dict<string[]>) => requestHeader && userOfHeaders(headers, requestHeader)
  const latin1 = (text: string) => Buffer.from(text).toString('latin1')

  it('name the user, each group by itself, and the rest', () =>
    expect(
      userOf({
        'x-remote-user': [latin1('zoë')],
        'x-remote-uid': ['7'],
        'x-remote-group': ['a,b', latin1('groß')],
        'x-remote-extra-scopes%2fx': ['view', 'edit'],
        'x-remote-extra-%zz': ['kept'],
        'x-other': ['no'],
      }),
    ).toEqual(cases('name the user, each group by itself, and the rest')))

  it('keep whoever is not authenticated what it is', () => {
    const groups = ['system:unauthenticated']
    expect(userOf({ 'x-remote-user': ['system:anonymous'], 'x-remote-group': groups })?.groups).toEqual(groups)
  })

  it.each([{}, { 'x-remote-user': [''] }, { 'x-remote-group': ['system:masters'] }])('name nobody in %j', (headers) =>
    expect(userOf(headers)).toBeUndefined(),
  )
})

describe('a token', () =>
  each<[string | undefined, string | undefined]>('of %j is %j', (authorization, token) =>
    expect(bearerToken(authorization === undefined ? {} : { authorization })).toBe(token),
  ))

describe('a certificate', async () => {
  const [ours, theirs] = [await clientAuthority('ours'), await clientAuthority('ours')]
  const read = ({ cert }: { readonly cert: string }) => new X509Certificate(cert)
  const ann = read(await ours.issue('CN=ann, O=a\\,b, O=team'))
  const now = Date.now()
  const isIssued = (leaf: X509Certificate, authority: X509Certificate, at = now) =>
    isIssuedBy({ leaf, others: [] }, [authority], at)

  it('counts for its authority, and for none of the same name', () => {
    expect(isIssued(ann, read(ours.ca))).toBe(true)
    expect(isIssued(ann, read(theirs.ca))).toBe(false)
    expect(isIssuedBy({ leaf: ann, others: [read(ours.ca)] }, [read(theirs.ca)], now)).toBe(false)
    expect(isIssuedBy({ leaf: ann, others: [] }, [], now)).toBe(false)
  })

  it('counts only while it is valid', () => {
    expect(isIssued(ann, read(ours.ca), Date.parse('2019-12-31'))).toBe(false)
    expect(isIssued(ann, read(ours.ca), Date.parse('2099-01-02'))).toBe(false)
  })

  it('names a user with groups', () =>
    expect(userOfCertificate(ann)).toEqual({ username: 'ann', groups: ['a,b', 'team'], extra: {} }))

  it('without a common name names nobody', async () => {
    const nobody = read(await ours.issue('O=team'))
    expect([commonNameOf(nobody), userOfCertificate(nobody)]).toEqual([undefined, undefined])
  })
})

it('answers are kept for a while, asked for once, and never kept where they failed', async () => {
  let now = 0
  let asked = 0
  const cache = createExpiringCache<number>({ lifetime: 10, most: 2, now: () => now })
  const ask = async () => {
    asked += 1
    return asked
  }
  expect(await Promise.all([cache('a', ask), cache('a', ask)])).toEqual([1, 1])
  now = 9
  expect(await cache('a', ask)).toBe(1)
  now = 10
  expect(await cache('a', ask)).toBe(2)
  await expect(cache('b', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(await cache('b', ask)).toBe(3)
  await cache('c', ask)
  expect(await cache('a', ask)).toBe(5)
})
