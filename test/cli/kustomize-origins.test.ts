/** A value that a kustomization builds is fixed and suppressed in the file that wrote it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { bare, lint, PATCHED, patch, shop } from './kustomizations.ts'
import { sluice } from './run.ts'

describe('--fix', () => {
  it('fixes the base, the patch and the inline patch that wrote the value', async () => {
    const inline = (rate: string) => `patches:
- path: rate.yaml
- target: {kind: RateLimitPolicy}
  patch: |-
    # Comments and lines stay.
    - op: add
      path: /spec/rateLimit/local/rules/-
      value:
        key: $binary_remote_addr$server_name
        rate: ${rate}
        zoneSize: 1m
`
    const files = {
      ...shop(
        bare('10r/s').replace('burst: 20', 'burst: 20').replace('zoneSize: 10m', 'zoneSize: 10M'),
        inline('1R/s'),
        '',
      ),
      'overlays/eu/rate.yaml': patch('rate: 7R/s'),
    }
    const cwd = createFolder(files)
    const { stderr } = await sluice(['lint', '--fix', '--format', 'json'], { cwd })
    expect(stderr).toMatch(/^fixed \d findings in \d files\n/)
    const now = (file: string) => readFileSync(join(cwd, file), 'utf8')
    expect(now('overlays/eu/rate.yaml')).toBe(patch('rate: 7r/s'))
    expect(now('overlays/eu/kustomization.yaml')).toBe(files['overlays/eu/kustomization.yaml'].replace('1R/s', '1r/s'))
    expect(now('overlays/us/kustomization.yaml')).toBe(files['overlays/us/kustomization.yaml'])
    expect((await lint(cwd)).found.filter((found) => found.includes('rate-syntax'))).toEqual([])
  })
})

describe('--fix in an inline patch', () => {
  const OPERATION = '[{"op": "add", "path": "/spec/rateLimit/local/rules/0/zoneSize", "value": "10M"}]'
  it.each([
    ['in single quotes', `'${OPERATION}'`],
    ['in double quotes', JSON.stringify(OPERATION)],
    ['in a block of lines that end in CRLF', `|-\r\n    ${OPERATION.replace(', ', ',\r\n     ')}`],
  ])('fixes the value %s', async (_, scalar) => {
    const kustomization = `resources: [policy.yaml]\npatches:\n- target: {kind: RateLimitPolicy}\n  patch: ${scalar}\n`
    const cwd = createFolder({ 'kustomization.yaml': kustomization, 'policy.yaml': bare() })
    const { stdout } = await sluice(['lint', '--format', 'json'], { cwd })
    const [{ line, column }] = JSON.parse(stdout).findings
    expect(kustomization.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^\\?"10M/)
    expect((await sluice(['lint', '--fix'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'kustomization.yaml'), 'utf8')).toBe(kustomization.replace('10M', '10m'))
  })
})

describe('a value that replacements copy', () => {
  const copied = (source: string) => `resources: [policy.yaml, zone.yaml]
configMapGenerator:
- name: made
  literals:
  - zone=10M
replacements:
- source: { kind: ConfigMap, ${source} }
  targets: [{ select: { kind: RateLimitPolicy }, fieldPaths: [spec.rateLimit.local.rules.0.zoneSize] }]
`
  const zone = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: zone }\ndata:\n  whole: 10M\n  parts: a/10M/c\n'
  it.each([
    ['whole', 'name: zone, fieldPath: data.whole', 'zone.yaml:5', zone.replace('10M', '10m')],
    ['in part', 'name: zone, fieldPath: data.parts, options: { delimiter: /, index: 1 }', 'zone.yaml:6', zone],
    ['of a literal', 'name: made, fieldPath: data.zone', 'kustomization.yaml:5', zone],
  ])('%s is found where it is written, and fixed only there as a whole', async (_, source, place, fixed) => {
    const kustomization = copied(source)
    const cwd = createFolder({ 'kustomization.yaml': kustomization, 'policy.yaml': bare(), 'zone.yaml': zone })
    expect((await lint(cwd)).found).toEqual([`${place} gateway/zone-size-syntax`])
    await sluice(['lint', '--fix'], { cwd })
    expect(readFileSync(join(cwd, 'zone.yaml'), 'utf8')).toBe(fixed)
    expect(readFileSync(join(cwd, 'kustomization.yaml'), 'utf8')).toBe(kustomization)
  })
})

describe('comments that suppress', () => {
  it('hold where the value is written', async () => {
    const cwd = createFolder({
      ...shop(bare().replace('10r/s', '10R/s # sluice-disable-line gateway/rate-syntax -- later'), PATCHED, ''),
      'overlays/eu/rate.yaml': patch('# sluice-disable-next-line gateway/rate-syntax -- later\n        rate: 5R/s'),
    })
    expect((await lint(cwd)).found).toEqual([])
  })

  it('without a use are reported', async () => {
    const cwd = createFolder(
      shop(bare().replace('10r/s', '10r/s # sluice-disable-line gateway/rate-syntax -- old'), ''),
    )
    expect((await lint(cwd)).found).toEqual(['base/policy.yaml:14 document/suppression'])
  })
})
