/** Texts with one mistake in their syntax, each with what its remedy makes of it. */
import type { SyntaxCause } from '../../src/yaml/parse/problem.ts'

/** A text that is broken, and the texts that follow from its remedy: one for each way that it names. */
export type SyntaxCase = {
  readonly cause: SyntaxCause
  /** The part that is broken, for titles. */
  readonly written: string
  readonly broken: string
  readonly cured: readonly string[]
}

/** A policy without a mistake, in three styles. */
export const STYLES = {
  block: `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: coffee
  namespace: shop
  annotations:
    note: |
      two lines
      of a note
spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: HTTPRoute
    name: coffee
  rateLimit:
    local:
      rules:
      - key: "$binary_remote_addr"
        rate: 10r/s
        zoneSize: 10m
      - key: '$uri'
        rate: 20r/s
        zoneSize: 10m
`,
  flow: `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }]
  rateLimit:
    local:
      rules:
      - { key: "$binary_remote_addr", rate: 10r/s,
          zoneSize: 10m }
      - {key: '$uri', rate: 20r/s, zoneSize: 10m}
`,
  json: `{
  "apiVersion": "gateway.nginx.org/v1alpha1",
  "kind": "RateLimitPolicy",
  "metadata": { "name": "coffee", "namespace": "shop" },
  "spec": {
    "targetRefs": [
      { "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": "coffee" }
    ],
    "rateLimit": {
      "local": { "rules": [{ "key": "$uri", "rate": "10r/s", "zoneSize": "10m", "noDelay": true, "burst": 5 }] }
    }
  }
}
`,
} as const

/** Cases of one cause: a part of a style, the same part broken, and corrected. */
const of =
  (style: keyof typeof STYLES, cause: SyntaxCause) =>
  (part: string, broken: string, ...cured: readonly string[]): SyntaxCase => {
    const put = (text: string) => STYLES[style].replace(part, () => text)
    if (!STYLES[style].includes(part)) throw new Error(`no "${part}" in the ${style} style`)
    return {
      cause,
      written: JSON.stringify(broken),
      broken: put(broken),
      cured: cured.length > 0 ? cured.map(put) : [STYLES[style]],
    }
  }

export const SYNTAX_CASES: readonly SyntaxCase[] = [
  of('block', 'tab')('  name: coffee\n  namespace', '\tname: coffee\n  namespace'),
  of('block', 'tab')('apiVersion', '\tapiVersion'),
  of('block', 'tab')('      two lines', '\ttwo lines'),
  of('block', 'line')('rules:\n      - key', 'rules: - key'),
  of('block', 'indentation')('  namespace: shop', '   namespace: shop'),
  of('block', 'indentation')('  - group', ' - group'),
  of('block', 'indentation')('apiVersion', '  apiVersion', 'apiVersion'),
  of('block', 'item')('metadata:', '- metadata:'),
  of('block', 'field')(
    '  - group: gateway.networking.k8s.io\n    kind: HTTPRoute\n    name: coffee',
    '    - group: gateway.networking.k8s.io\n    kind: HTTPRoute',
    '    - group: gateway.networking.k8s.io\n      kind: HTTPRoute',
  ),
  of('block', 'above')('annotations:\n', 'annotations:\t'),
  of('block', 'key')('  name: coffee\n', '  [name]: coffee\n'),
  of('flow', 'key')('name: coffee, namespace', '{ name }: coffee, namespace'),
  of('block', 'no-key')('  name: coffee\n', '  : coffee\n'),
  of('flow', 'no-key')('{ name: coffee, namespace', '{ : coffee, namespace'),
  of('block', 'colon')('rate: 10r/s', 'rate 10r/s'),
  of('block', 'colon')('rules:', 'rules'),
  of('block', 'colon')('spec:', 'spec'),
  of('block', 'colon')('- group:', '- group'),
  of('block', 'colon')('rate: 10r/s', 'rate:10r/s'),
  of('block', 'colon')('rate: 10r/s', 'rate = 10r/s'),
  of('block', 'colon')('      of a note', '    of a note'),
  of('block', 'quotes')('rate: 10r/s', 'rate: @10', 'rate: "@10"'),
  of('block', 'quotes')('rate: 10r/s', 'rate: `10r/s`', 'rate: "`10r/s`"'),
  of('block', 'quotes')('rate: 10r/s', 'rate: %10', "rate: '%10'"),
  of('block', 'quotes')('rate: 10r/s', 'rate: limit: 10r/s', 'rate: "limit: 10r/s"'),
  of('block', 'quotes')('name: coffee', 'name: *.example.com', 'name: "*.example.com"'),
  of('block', 'quotes')('name: coffee', 'name: * coffee', 'name: "* coffee"'),
  of('block', 'quotes')('name: coffee', 'name: & coffee', 'name: "& coffee"'),
  of('block', 'quotes')('  name: coffee', '  *name: coffee', '  "*name": coffee'),
  of('block', 'quotes')('  name: coffee', '  ~: coffee', '  "~": coffee'),
  of('flow', 'quotes')('"$binary_remote_addr"', '${host}', '"${host}"'),
  of('flow', 'quotes')("'$uri'", '$a?b', '"$a?b"'),
  of('flow', 'quotes')("'$uri'", '@uri', '"@uri"'),
  of('flow', 'quotes')("'$uri'", 'see: this', '"see: this"'),
  of('block', 'quote')('"$binary_remote_addr"', '"$binary_remote_addr', '"$binary_remote_addr"', '$binary_remote_addr'),
  of('block', 'quote')('  name: coffee', '  name: "coffee', '  name: "coffee"', '  name: coffee'),
  of('block', 'quote')(
    "key: '$uri'",
    "key: $uri'\n        id: 'a",
    "key: $uri'\n        id: 'a'",
    "key: $uri'\n        id: a",
  ),
  of('flow', 'quote')('"$binary_remote_addr"', '"$binary_remote_addr', '"$binary_remote_addr"', '$binary_remote_addr'),
  of('block', 'after-quote')('"$binary_remote_addr"', '"$binary_remote_addr"$uri', '"$binary_remote_addr$uri"'),
  of('flow', 'after-quote')('"$binary_remote_addr"', '"$binary_remote_addr"$uri', '"$binary_remote_addr$uri"'),
  of('block', 'inner-quote')("'$uri'", "'it's $uri'", "'its $uri'", "'it''s $uri'"),
  of('block', 'inner-quote')("'$uri'", '"say "hi" to $uri"', '"say hi to $uri"', '"say \\"hi\\" to $uri"'),
  of('block', 'inner-quote')('"$binary_remote_addr"', '""$binary_remote_addr"', '"$binary_remote_addr"'),
  of('block', 'extra')('"$binary_remote_addr"', '"$binary_remote_addr",'),
  of('block', 'extra')('rate: 20r/s', 'rate: ]'),
  of('block', 'extra')('spec:', '},\nspec:'),
  of('block', 'extra')('rateLimit:\n', 'rateLimit:\n  {\n'),
  of('flow', 'extra')('namespace: shop }', 'namespace: shop },'),
  of('flow', 'extra')('name: coffee }]', 'name: coffee }]]'),
  of('flow', 'extra')('name: coffee,', 'name: coffee,,'),
  of('flow', 'bracket')('namespace: shop }', 'namespace: shop'),
  of('flow', 'bracket')('name: coffee }]', 'name: coffee }'),
  of('flow', 'bracket')('zoneSize: 10m}', 'zoneSize: 10m'),
  of('flow', 'missing-bracket')('name: coffee }]', 'name: coffee ]'),
  of('flow', 'other-bracket')('namespace: shop }', 'namespace: shop ]'),
  of('flow', 'comma')('name: coffee, namespace', 'name: coffee namespace'),
  of('flow', 'comma')('"$binary_remote_addr", rate', '"$binary_remote_addr" rate'),
  of('flow', 'comma')('rate: 10r/s,\n', 'rate: 10r/s\n'),
  of('block', 'block-text')('rate: 10r/s', 'rate: >10r/s', 'rate: >\n          10r/s', 'rate: ">10r/s"'),
  of('block', 'block-text')('rate: 10r/s', 'rate: | text', 'rate: |\n          text', 'rate: "| text"'),
  of('flow', 'near')('kind: HTTPRoute, name: coffee', 'kind:} HTTPRoute, name: coffee'),
  of('block', 'anchor')('name: coffee', 'name: *shop', 'name: coffee'),
  of('block', 'anchor')(
    'name: coffee\n  namespace: shop',
    'name: *shop\n  namespace: &shop tea',
    'name: &shop tea\n  namespace: *shop',
  ),
  of('block', 'anchor-cycle')(
    'targetRefs:\n',
    'labels: &all [*all]\n  targetRefs:\n',
    'labels: &all [all]\n  targetRefs:\n',
  ),
  of('block', 'anchor-name')('name: coffee', 'name: &a.b coffee', 'name: &a_b coffee', 'name: "&a.b coffee"'),
  of('block', 'tag')('name: coffee', 'name: !a!b coffee', 'name: !b coffee', 'name: "!a!b coffee"'),
  of('block', 'tag-value')('rate: 10r/s', 'rate: !!int 10r/s', 'rate: !!int 10', 'rate: 10r/s'),
  of('block', 'merge')('name: coffee', '<<: coffee', '<<: { name: coffee }', '"<<": coffee'),
  of('block', 'number')('rate: 10r/s', 'rate: .inf', 'rate: 10', 'rate: ".inf"'),
  of('block', 'escape')('"$binary_remote_addr"', '"\\$binary"', '"\\\\$binary"', "'\\$binary'"),
  of('block', 'escape')('"$binary_remote_addr"', '"\\xyz"', '"\\\\xyz"', "'\\xyz'"),
  of('block', 'escape')('"$binary_remote_addr"', '"a\\/b"', '"a\\\\/b"', "'a\\/b'"),
  of('block', 'control')('rate: 10r/s', 'rate: 10r/s\u0007'),
  of('block', 'directive')('apiVersion', '%YAML 1.1\napiVersion'),
  of('block', 'directive')('apiVersion', '%FOO\napiVersion'),
  of('block', 'separator')(
    'apiVersion',
    'apiVersion: v1\nkind: Namespace\n...\napiVersion',
    'apiVersion: v1\nkind: Namespace\n---\napiVersion',
  ),
  of('block', 'separator')(
    'apiVersion',
    '--- # first\napiVersion: v1\nkind: Namespace\n--- second\napiVersion',
    'apiVersion: v1\nkind: Namespace\n---\napiVersion',
  ),
  of('block', 'conflict')(
    '        rate: 10r/s\n',
    '<<<<<<< HEAD\n        rate: 10r/s\n=======\n        rate: 20r/s\n>>>>>>> faster\n',
  ),
  of('block', 'space')('rate: 10r/s', 'rate:\u00a010r/s'),
  of('block', 'other')('name: coffee', 'name: !a !b coffee', 'name: !b coffee'),
  of('json', 'near')('"kind": "RateLimitPolicy"', '"kind"": "RateLimitPolicy"'),
  of('json', 'near')('}] }', '}} }'),
  of('json', 'json-comma')('"$uri", "rate"', '"$uri" "rate"'),
  of('json', 'json-comma')('RateLimitPolicy",', 'RateLimitPolicy"'),
  of('json', 'json-extra-comma')('"namespace": "shop" }', '"namespace": "shop", }'),
  of('json', 'json-extra-comma')('"coffee" }\n    ]', '"coffee" },\n    ]'),
  of('json', 'json-comment')('  "spec"', '  // the limits\n  "spec"', '  \n  "spec"'),
  of('json', 'json-comment')('true, ', 'true, # no queue\n '),
  of('json', 'json-key')('"kind": "Rate', 'kind: "Rate'),
  of('json', 'json-key')('"kind": "Rate', "'kind': \"Rate"),
  of('json', 'json-value')('"RateLimitPolicy"', 'RateLimitPolicy'),
  of('json', 'json-value')('true', 'True', '"True"', 'true'),
  of('json', 'json-value')('"10r/s"', "'10r/s'", '"10r/s"'),
  of('json', 'json-quote')('"RateLimitPolicy",', '"RateLimitPolicy,'),
  of('json', 'json-escape')('"$uri"', '"\\d$uri"', '"\\\\d$uri"'),
  of('json', 'json-control')('"$uri"', '"$uri\t"', '"$uri"', '"$uri\\t"'),
  of('json', 'json-number')('"burst": 5', '"burst": 1e999', '"burst": 1e99', '"burst": "1e999"'),
  of('json', 'json-end')('"shop" },', '"shop" }},'),
  of('json', 'json-end')('}\n}\n', '}\n}\nx\n'),
  of('json', 'json-separator')(
    '}\n}\n',
    '}\n}\n---\n{"apiVersion": "v1", "kind": "Namespace"}\n',
    '}\n}\n{"apiVersion": "v1", "kind": "Namespace"}\n',
  ),
]
