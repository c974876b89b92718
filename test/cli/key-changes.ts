/** Changed keys, and what the lint finds of them. */
import { expect } from 'vitest'
import { policy } from '../files/folder.ts'
import { sluice } from './run.ts'

const OTHER_KEY = '$binary_remote_addr$server_name'

/** A policy that limits by another key in a zone of the same size. */
export const changed = (parts: Parameters<typeof policy>[0] = {}): string =>
  policy(parts).replace('key: $binary_remote_addr\n', `key: ${OTHER_KEY}\n`)

/** `a.yaml coffee gateway/key-change-without-zone-resize`, one a finding. */
export async function findingsIn(cwd: string, ...argv: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await sluice(['lint', ...argv, '--format', 'json'], { cwd })
  expect(stderr.replace(/^note: .*\n/gm, '')).toBe('')
  return JSON.parse(stdout).findings.map(
    ({ file, object, rule }: { file: string; object: { name: string }; rule: string }) =>
      `${file} ${object.name} ${rule}`,
  )
}

export const KEY_CHANGE = 'gateway/key-change-without-zone-resize'
