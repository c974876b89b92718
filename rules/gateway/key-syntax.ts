import { rule } from '../../src/gateway/rule.ts'
import { keyFault, suggestKey } from '../../src/limits/key.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

const REFUSED = 'the key "{key}" cannot have {character} at position {position}'

/** A key becomes one parameter of a directive, so whatever would end it there is refused. */
export default rule({
  id: 'gateway/key-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key has no blanks, no ; { } # and no $ without a name.',
  why: 'The key is written into the configuration of nginx as it stands. The API server refuses the characters that would end the parameter or the directive there, even inside quotes.',
  remedy: 'Join the parts of a key with ":", as in "$binary_remote_addr:$uri".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone (parameter key)',
  messages: {
    empty: {
      text: 'the key is empty',
      remedy: 'Name what clients are told apart by, such as "$binary_remote_addr".',
    },
    mended: { text: REFUSED, remedy: 'Write it as "{mended}".' },
    blank: REFUSED,
    character: {
      text: REFUSED,
      remedy: 'Leave {character} out; ":" and "/" can stand between the parts of a key.',
    },
    brace: {
      text: REFUSED,
      remedy: 'Write the variable without braces and put ":" behind it, as in "$host:$uri".',
    },
    dollar: {
      text: 'the key "{key}" has a "$" without a name at position {position}',
      remedy: 'Write the name of a variable directly behind it; nginx has no way to write the character itself.',
    },
  },
  examples: {
    bad: manifest({ limits: ["{ key: '$host $uri', rate: 10r/s, zoneSize: 10m }"] }),
    good: manifest({ limits: ["{ key: '$binary_remote_addr:$uri', rate: 10r/s, zoneSize: 10m }"] }),
  },
  check({ limits }, { report }) {
    for (const { key } of limits) {
      const fault = typeof key.raw === 'string' && !key.value ? keyFault(key.raw) : undefined
      if (!fault) continue
      if (fault.type === 'empty') {
        report('empty', key)
        continue
      }
      const mended = suggestKey(String(key.raw))
      const character = NAMES[fault.character] ?? `"${fault.type === 'brace' ? '${' : fault.character}"`
      const data = { key: shorten(String(key.raw)), character, position: fault.position, mended }
      report(mended === undefined ? fault.type : 'mended', key, data)
    }
  },
})

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'a blank',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
}
