import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { isKey, keyFault, suggestKey } from '../../src/limits/key.ts'
import { readParameter } from '../../src/nginx/parameter.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

const NOT_ALLOWED = 'the key "{key}" must not contain {character} (position {position})'

/** CEL: the part of a key before what is refused, and that character. */
const ACCEPTED = String.raw`limit.raw.key.find(r'^(?:[^ \t\r\n;{}#$]|\$\w)*')`
const REFUSED = `limit.raw.key.charAt(size(${ACCEPTED}))`
const IS_REFUSED = "type(limit.raw.?key.orValue(null)) == string && limit.raw.key != '' && !has(limit.key)"
const KEY_VALUES = {
  key: shortened('limit.raw.key'),
  character: String.raw`{' ': 'a space', '\t': 'a tab', '\n': 'a line break', '\r': 'a line break', '$': '"${'$'}{"'}[?${REFUSED}]
    .orValue('"' + ${REFUSED} + '"')`,
  position: `string(size(${ACCEPTED}) + 1)`,
}

/** A key becomes one parameter of a directive, so it must not contain what ends a parameter there. */
export default rule({
  id: 'gateway/key-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key has no whitespace, none of the characters ; { } # and no $ without a variable name.',
  why: 'The key is copied into the nginx configuration. The API server refuses the characters that could end the parameter or the directive there, even inside quotes.',
  remedy: 'Join the parts of a key with ":", as in "$binary_remote_addr:$uri".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone (parameter key)',
  messages: {
    empty: { text: 'the key is empty', remedy: 'Write what identifies a client, such as "$binary_remote_addr".' },
    corrected: { text: NOT_ALLOWED, remedy: 'Write "{corrected}".' },
    space: NOT_ALLOWED,
    character: { text: NOT_ALLOWED, remedy: 'Remove {character}; use ":" or "/" between the parts of a key.' },
    brace: { text: NOT_ALLOWED, remedy: 'Write the variable without braces, followed by ":", as in "$host:$uri".' },
    dollar: {
      text: 'the key "{key}" has a "$" without a variable name at position {position}',
      remedy: 'Write the name of a variable directly after the "$", or remove it: nginx cannot write a literal "$".',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      { message: 'empty', at: 'key', when: "limit.raw.?key.orValue(null) == ''" },
      {
        message: 'dollar',
        at: 'key',
        when: `${IS_REFUSED} && ${REFUSED} == '$' && !limit.raw.key.substring(size(${ACCEPTED})).startsWith('\${')`,
        values: KEY_VALUES,
      },
      { message: 'space', at: 'key', when: IS_REFUSED, values: KEY_VALUES },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ["{ key: '$host $uri', rate: 10r/s, zoneSize: 10m }"] }),
    good: manifest({ limits: ["{ key: '$binary_remote_addr:$uri', rate: 10r/s, zoneSize: 10m }"] }),
  }),
  check({ limits }, { report }) {
    for (const { key } of limits) {
      const fault = typeof key.raw === 'string' && !key.value ? keyFault(key.raw) : undefined
      if (!fault) continue
      if (fault.type === 'empty') {
        report('empty', key)
        continue
      }
      const corrected = readableSuggestion(String(key.raw))
      const character = NAMES[fault.character] ?? `"${fault.type === 'brace' ? '${' : fault.character}"`
      const data = { key: shorten(String(key.raw)), character, position: fault.position, corrected }
      report(corrected === undefined ? fault.type : 'corrected', key, data)
    }
  },
})

/** What nginx reads without its quotes; a message puts its own quotes around it. */
const QUOTED = /^(["'])(.*)\1$/s

/** A corrected key that nginx can read; undefined where the mistake is another one. */
function readableSuggestion(written: string): string | undefined {
  const suggested = suggestKey(written)
  if (suggested === undefined || !readParameter(suggested).ok) return undefined
  const bare = suggested.replace(QUOTED, '$2')
  return isKey(bare) && readParameter(bare).ok ? bare : undefined
}

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
}
