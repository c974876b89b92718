/**
 * Keys of clients as they are stored and rendered: never as they are. nginx can compare a text with an MD5 hash, of one
 * location one (`secure_link`), so that it first has to know with whose: it finds the client by two small numbers of the key
 * (`split_clients`), too small to find out the key by them. Source: nginx, secure_link, split_clients.
 */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { bucketsOf } from '../nginx/split-clients.ts'
import { base64Url, md5 } from '../text/md5.ts'

/** The member that has the hash, in the place of `apiKey`. It is never shown, and no client can set it. */
export const KEY_HASH = 'apiKeyHash'

/** What is known of a key. */
export type KeyHash = {
  /** Of {@link hashedText}, in base64url. */
  readonly md5: string
  /** For each of the two numbers, the buckets that the key may be in. */
  readonly buckets: readonly (readonly number[])[]
}

/** The text of which nginx compares the hash. The salt is the id of the proxy: the same keys of others have other hashes. */
export const hashedText = (salt: string, key: string): string => `${salt} ${key}`

/** The texts that are put into buckets. */
export const bucketTexts = (salt: string, key: string): readonly string[] => [`${salt}.0 ${key}`, `${salt}.1 ${key}`]

/** The hash of a key. */
export const hashOf = (salt: string, key: string): KeyHash => ({
  md5: base64Url(md5(hashedText(salt, key))),
  buckets: bucketTexts(salt, key).map(bucketsOf),
})

/** As it is stored: `md5:q0cSmZ7Qyi5N0J1wVmOPtA:17:2201-2202`. */
const printHash = ({ md5: hash, buckets }: KeyHash): string =>
  ['md5', hash, ...buckets.map((numbers) => numbers.join('-'))].join(':')

/** Reads a stored hash; undefined for another text. */
export function readHash(text: string): KeyHash | undefined {
  const [, hash, first = '', second = ''] =
    /^md5:([\w-]{22}):(\d{1,5}(?:-\d{1,5})?):(\d{1,5}(?:-\d{1,5})?)$/.exec(text) ?? []
  return hash === undefined
    ? undefined
    : { md5: hash, buckets: [first, second].map((one) => one.split('-').map(Number)) }
}

/** Each pair of buckets in which nginx may find a key. */
export const pairsOf = ({ buckets: [first = [], second = []] }: KeyHash): readonly string[] =>
  first.flatMap((one) => second.map((other) => `${one} ${other}`))

/** The clients of a policy about keys, one after the other. */
type Change = (client: JsonObject, place: ClientPlace) => JsonObject
type ClientPlace = { readonly policy: number; readonly index: number }

/** A body, or policies alone, with other clients. The same value where there are none. */
function mapClients(body: JsonObject, change: Change): JsonObject {
  const config = isObject(body.proxyConfig)
    ? mapMember(body.proxyConfig, 'policies', (own) => ofPolicies(own, change))
    : undefined
  const whole = mapMember(body, 'policies', (own) => ofPolicies(own, change))
  return config === undefined || config === body.proxyConfig ? whole : { ...whole, proxyConfig: config }
}

const mapMember = (object: JsonObject, name: string, change: (value: Json) => Json): JsonObject => {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  const changed = value === undefined ? undefined : change(value)
  return changed === undefined || changed === value ? object : { ...object, [name]: changed }
}

const mapItems = (value: Json, change: (item: JsonObject, index: number) => Json): Json =>
  Array.isArray(value) ? value.map((item: Json, index) => (isObject(item) ? change(item, index) : item)) : value

const ofPolicies = (policies: Json, change: Change): Json =>
  isObject(policies)
    ? mapMember(policies, 'apikey-authn', (list) =>
        mapItems(list, (item, policy) =>
          mapMember(item, 'data', (data) => mapItems(data, (client, index) => change(client, { policy, index }))),
        ),
      )
    : policies

/** A body in which every key is a hash. */
export const withHashes = (body: JsonObject, salt: string): JsonObject =>
  mapClients(body, (client) => {
    const { apiKey, ...others } = client
    return typeof apiKey === 'string' ? { ...others, [KEY_HASH]: printHash(hashOf(salt, apiKey)) } : client
  })

/** A body as it may be shown, and what counts of one that was sent: neither has hashes. */
export const withoutHashes = (body: JsonObject): JsonObject =>
  mapClients(body, (client) => {
    const { [KEY_HASH]: _, ...others } = client
    return others
  })

/**
 * A body in which clients without a key have the one that they had. Of a client with several keys all or none have to be
 * sent, as nothing else says which is meant.
 */
export function withKeptKeys(body: JsonObject, before: JsonObject): JsonObject {
  const known = new Map<string, Json[]>()
  const sent = new Map<string, number>()
  const nameOf = ({ clientID = null }: JsonObject, { policy }: ClientPlace) => JSON.stringify([policy, clientID])
  mapClients(before, (client, place) => {
    const { [KEY_HASH]: hash } = client
    const name = nameOf(client, place)
    if (hash !== undefined) known.set(name, [...(known.get(name) ?? []), hash])
    return client
  })
  const isOpen = ({ apiKey, [KEY_HASH]: hash }: JsonObject) => apiKey === undefined && hash === undefined
  mapClients(body, (client, place) => {
    if (isOpen(client)) sent.set(nameOf(client, place), (sent.get(nameOf(client, place)) ?? 0) + 1)
    return client
  })
  return mapClients(body, (client, place) => {
    const name = nameOf(client, place)
    const hashes = known.get(name) ?? []
    const rest = sent.get(name) ?? 0
    // Each takes the next one.
    if (!isOpen(client) || hashes.length !== rest) return client
    const [hash, ...others] = hashes
    known.set(name, others)
    sent.set(name, rest - 1)
    return hash === undefined ? client : { ...client, [KEY_HASH]: hash }
  })
}

/** A body as it is shown, for a patch: its clients keep their keys wherever the patch puts them. */
export function patchable(stored: JsonObject) {
  const hashes = new WeakMap<object, Json>()
  const shown = mapClients(stored, (client) => {
    const { [KEY_HASH]: hash, ...others } = client
    if (hash !== undefined) hashes.set(others, hash)
    return others
  })
  return {
    shown,
    /** An object of the body stands in another one now. */
    copied(from: object, to: object): void {
      const hash = hashes.get(from)
      if (hash !== undefined) hashes.set(to, hash)
    },
    /** The body that the patch made, with what is kept of keys. */
    withKeys: (patched: JsonObject): JsonObject =>
      mapClients(patched, (client) => {
        const { [KEY_HASH]: _, ...others } = client
        const hash = hashes.get(client)
        return hash === undefined || others.apiKey !== undefined ? others : { ...others, [KEY_HASH]: hash }
      }),
  }
}

/** A body that an older version has stored, with a hash of each key, or without a salt with nothing of it. */
export function hideKeys(text: string, salt: string | undefined): string {
  const body: unknown = JSON.parse(text)
  if (!isObject(body)) return text
  return JSON.stringify(salt === undefined ? withoutHashes(withHashes(body, '')) : withHashes(body, salt))
}
