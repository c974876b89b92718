/** Objects in a few words: `policy a@shop on HTTPRoute/coffee key $uri`, `gateway east open`, `route coffee to east set:more`. */
import type { Source } from '../../src/project/source.ts'

const GROUP = 'gateway.networking.k8s.io'

/** The words behind one of the words, up to the next that has some. */
function behind(words: readonly string[], name: string): readonly string[] {
  const at = words.indexOf(name)
  if (at === -1) return []
  const end = words.findIndex((word, index) => index > at && ['on', 'key', 'born', 'to', 'in'].includes(word))
  return words.slice(at + 1, end === -1 ? undefined : end)
}

/** Namespace `shop` unless another one stands behind the name, or `-` for none. */
function metadataOf(named: string, more: object = {}): object {
  const [name, namespace = 'shop'] = named.split('@')
  return { name, ...(namespace === '-' ? {} : { namespace }), ...more }
}

const of = (apiVersion: string, kind: string, metadata: object, spec: object): object => ({
  apiVersion,
  kind,
  metadata,
  spec,
})

const KINDS: Readonly<Record<string, (named: string, words: readonly string[]) => object>> = {
  policy(named, words) {
    const [kind, name] = (behind(words, 'on')[0] ?? 'Gateway/shop').split('/')
    const [key = '$binary_remote_addr'] = behind(words, 'key')
    const [creationTimestamp] = behind(words, 'born')
    const local = { rules: [{ key, rate: '10r/s', zoneSize: '10m' }] }
    return of(
      'gateway.nginx.org/v1alpha1',
      'RateLimitPolicy',
      metadataOf(named, creationTimestamp ? { creationTimestamp } : {}),
      {
        targetRefs: [{ group: GROUP, kind, name }],
        rateLimit: words.includes('quiet') ? { local } : { rejectCode: 429, local },
      },
    )
  },
  gateway(named, words) {
    const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }]
    const open = words.includes('open') ? { allowedListeners: { namespaces: { from: 'All' } } } : {}
    return of(`${GROUP}/v1`, 'Gateway', metadataOf(named), { gatewayClassName: 'nginx', listeners, ...open })
  },
  route(named, words) {
    const parentRefs = behind(words, 'to').map((parent) => {
      const [name = '', namespace] = parent.split('@')
      if (name.startsWith('set:')) return { group: GROUP, kind: 'ListenerSet', name: name.slice(4) }
      return name.endsWith(':80')
        ? { name: name.slice(0, -3), port: 80 }
        : { name, ...(namespace ? { namespace } : {}) }
    })
    return of(`${GROUP}/v1`, 'HTTPRoute', metadataOf(named), { parentRefs })
  },
  set(named, words) {
    const [name] = behind(words, 'in')
    const listeners = [{ name: 'extra', port: 8080, protocol: 'HTTP' }]
    return of(`${GROUP}/v1`, 'ListenerSet', metadataOf(named), { parentRef: { name }, listeners })
  },
  snippet: (variable) =>
    of('gateway.nginx.org/v1alpha1', 'SnippetsFilter', metadataOf('maps'), {
      snippets: [{ context: 'http', value: `map $host $${variable} { default x; }` }],
    }),
}

/** The object that some words name. */
function objectOf(text: string): object {
  const [kind = '', named = '', ...words] = text.split(' ')
  const make = KINDS[kind]
  if (!make) throw new Error(`no such kind: ${text}`)
  return make(named, words)
}

/** A text with objects, a document each. */
export const sourceOf = (file: string, objects: readonly string[], more: Partial<Source> = {}): Source => ({
  file,
  text: objects.map((words) => `---\n${JSON.stringify(objectOf(words))}\n`).join(''),
  ...more,
})
