/** Settings files, and lint with those that are accepted. */
import { readFileSync } from 'node:fs'
import { dump } from 'js-yaml'
import { lint, readSettings } from '../../src/index.ts'
import { compareText } from '../../src/text/order.ts'
import { lineStarts } from '../../src/yaml/locate.ts'
import { faultsOf } from '../core/manifests.ts'
import { mutatedText, mutatedValue } from '../core/mutate.ts'
import { POLICY } from '../core/samples.ts'
import type { Input, Problem, Target } from '../core/target.ts'
import { TOKENS } from './yaml-texts.ts'

const EXAMPLE = readFileSync(new URL('../../docs/settings-example.yaml', import.meta.url), 'utf8')

/** Every member of the settings. */
const SETTINGS: Input = {
  ruleset: '0.1',
  rules: { 'gateway/zone-size-implicit': 'warning', 'gateway/rate-rounding': 'off' },
  platform: { nginxVersion: '1.31', plus: false, pageSize: 4096, variables: ['tenant'] },
  budgets: { zoneMemory: '512m', expectedKeys: 1000, queueSeconds: 30 },
  composition: 'inherit',
  conflict: 'any-field',
  worlds: [{ name: 'eu', paths: ['clusters/eu/**', '!x', '{a,b}/**'] }],
  overrides: [{ files: ['sandbox/**'], rules: { 'gateway/key-may-be-empty': 'off' } }],
  ignores: ['attic/**'],
  apiGroups: { policyGroup: 'gateway.nginx.org' },
  admission: { enforce: 'warn', strict: true, crossObject: 'deny', keyChange: 'resize', onFault: 'deny' },
}

const POLICY_SOURCE = { file: 'policy.json', text: JSON.stringify(POLICY) }

export const SETTINGS_FILES: Target = {
  name: 'settings',
  reads: 'settings files',
  make(random) {
    switch (random.below(4)) {
      case 0:
        return mutatedText(random, EXAMPLE, TOKENS)
      case 1:
        return JSON.stringify(mutatedValue(random, SETTINGS))
      default:
        return dump(mutatedValue(random, SETTINGS))
    }
  },
  async open() {
    return { check }
  },
}

function check(input: Input): readonly Problem[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const read = readSettings(text)
  if (read.ok) {
    const result = lint([POLICY_SOURCE], { settings: read.value.settings })
    const faults = result.ok ? result.value.faults : []
    return [
      ...faultsOf('lint with settings', result),
      ...(result.ok
        ? []
        : [{ what: 'settings of a file are refused as an object', detail: JSON.stringify(result.problems) }]),
      ...faults.map(({ rule, message }) => ({ what: `fault of the rule ${rule}`, detail: message })),
    ]
  }
  const places = read.problems.map(({ line = 0, column = 0 }) => ({ line, column }))
  const starts = lineStarts(text)
  const outside = places.some(
    ({ line, column }) =>
      column < 1 || column > [...text.slice(starts[line - 1] ?? text.length, starts[line])].length + 1,
  )
  const unsorted = places.some(({ line, column }, index) => {
    const next = places[index + 1]
    return next !== undefined && (next.line - line || next.column - column) < 0
  })
  const messages = read.problems.map(({ path, message, line, column }) => JSON.stringify([path, message, line, column]))
  const twice = new Set(messages).size < messages.length
  return [
    ...faultsOf('readSettings', read),
    ...(outside
      ? [{ what: 'the place of a problem is not in the text', detail: messages.toSorted(compareText).join('\n') }]
      : []),
    ...(unsorted ? [{ what: 'problems are not sorted', detail: messages.join('\n') }] : []),
    ...(twice ? [{ what: 'problems are not unique', detail: messages.join('\n') }] : []),
  ]
}
