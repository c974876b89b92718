import { keyPlatform, keyTraits, limitsEveryRequest, readableParts } from '../../src/gateway/keys/keys.ts'
import { type CutName, cutNames } from '../../src/gateway/keys/supplied.ts'
import { rule } from '../../src/gateway/rule.ts'
import { lazily } from '../../src/world/cache.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

const CUT = '"{written}" is the variable "{variable}" and the text after it: a name ends at the hyphen'

/** Headers have hyphens, names of variables have not. */
export default rule({
  id: 'gateway/key-name-cut',
  severity: 'warning',
  since: '0.2',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'The name of a header in a key has underscores in place of hyphens.',
  why: 'The name of a variable has only letters, digits and underscores. At a hyphen it ends, and the rest is text: nginx reads another header, which most requests lack, so they all share one bucket.',
  remedy: 'Write the variable with underscores in place of the hyphens.',
  source: 'nginx, $http_name: "lower case with dashes replaced by underscores"',
  messages: {
    header: { text: CUT, remedy: 'Write "{meant}".' },
    'header-alone': {
      text: CUT,
      remedy:
        'Write "{meant}" and add a second limit with the key "$binary_remote_addr": a client can omit or change the header.',
    },
    argument: {
      text: CUT,
      remedy:
        'Define a variable with map in a SnippetsFilter, from $args: no variable of nginx has a hyphen in its name.',
    },
    cookie: {
      text: CUT,
      remedy:
        'Define a variable with map in a SnippetsFilter, from $http_cookie: no variable of nginx has a hyphen in its name.',
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $http_x-api-key, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({
      limits: [
        '{ key: $http_x_api_key$binary_remote_addr, rate: 10r/s, zoneSize: 10m }',
        '{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }',
      ],
    }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    const isCovered = lazily(() => limits.some((limit) => limitsEveryRequest(keyTraits(limit, nginx))))
    for (const limit of limits) {
      const cuts = cutNames(readableParts(limit, nginx) ?? [])
      if (cuts.length === 0) continue
      const meant = withHeaders(limit.key.value?.unquoted ?? '', cuts)
      const firstHeader = cuts.find(isHeader)
      for (const cut of cuts) {
        if (isHeader(cut) && cut !== firstHeader) continue
        const { type, written, variable } = cut
        const message = type === 'header' && !isCovered() ? 'header-alone' : type
        report(message, limit.key, { written: shorten(written), variable: shorten(variable), meant: shorten(meant) })
      }
    }
  },
})

const isHeader = ({ type }: CutName): boolean => type === 'header'

/** A key with underscores in the names of its headers. */
const withHeaders = (key: string, cuts: readonly CutName[]): string =>
  cuts.filter(isHeader).reduce((text, { written }) => text.replace(written, () => written.replaceAll('-', '_')), key)
