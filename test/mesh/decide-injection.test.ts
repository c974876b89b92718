/** Which Pods get the sidecar by themselves. */
import { describe, expect, it } from 'vitest'
import { decideInjection } from '../../src/mesh/decide-injection.ts'
import { INJECTION_TABLE } from './injection-table.ts'

const rows = INJECTION_TABLE.trim()
  .split('\n')
  .map((line) => {
    const [auto, enabled, disabled, none, label, labelOff, annotated] = line.replaceAll('|', ' ').trim().split(/\s+/)
    return { auto, enabled, disabled, answers: [none, label, labelOff], annotated }
  })

const LABELS = [undefined, 'enabled', 'disabled']

describe.each(rows)('automatic injection $auto, enabled: $enabled, disabled: $disabled', (row) => {
  const config = {
    injection: {
      isAutoInjectEnabled: row.auto === 'on',
      enabledNamespaces: row.enabled === 'enabled' ? ['x', 'shop'] : ['x'],
      disabledNamespaces: row.disabled === 'disabled' ? ['shop'] : [],
    },
  }

  it.each(LABELS.map((label, index) => [label ?? 'no label', label, row.answers[index]] as const))(
    '%s, on the namespace or on the Pod',
    (_, label, answer) => {
      const asked = { config, namespace: 'shop' }
      expect(decideInjection({ ...asked, podLabel: label }).inject).toBe(answer === 'yes')
      expect(decideInjection({ ...asked, namespaceLabel: label }).inject).toBe(answer === 'yes')
      expect(decideInjection({ ...asked, podLabel: label, isInjected: true }).inject).toBe(row.annotated === 'yes')
    },
  )

  it('the label of the Pod counts more than that of its namespace', () => {
    const asked = { config, namespace: 'shop' }
    for (const podLabel of ['enabled', 'disabled'])
      for (const namespaceLabel of LABELS)
        expect(decideInjection({ ...asked, podLabel, namespaceLabel })).toEqual({
          inject: podLabel === 'enabled',
          by: 'pod-label',
        })
  })

  it('kube-system never', () => {
    for (const label of LABELS)
      expect(decideInjection({ config, namespace: 'kube-system', podLabel: label, namespaceLabel: label })).toEqual({
        inject: false,
        by: 'kube-system',
      })
  })

  it('a label with another value counts as none', () => {
    const asked = { config, namespace: 'shop' }
    expect(decideInjection({ ...asked, podLabel: 'true', namespaceLabel: 'yes' })).toEqual(decideInjection(asked))
  })
})

it('the table has every combination once', () =>
  expect(new Set(rows.map(({ auto, enabled, disabled }) => `${auto} ${enabled} ${disabled}`)).size).toBe(8))
