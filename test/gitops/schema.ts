/** Files of CI systems, held against the schemas that are published for them. */
import { spawnSync } from 'node:child_process'
import { CHECK_JSONSCHEMA_PATH, hasCheckJsonschema } from '../../scripts/check-jsonschema.ts'

/** Without it the tests that ask are left out; under CI they fail. */
export const hasSchemas = hasCheckJsonschema() || process.env.CI !== undefined
if (!hasSchemas) console.log('no check-jsonschema: what CI systems read is not held against their schemas')

export type Schema = 'dependabot' | 'github-actions' | 'github-workflows' | 'gitlab-ci'

/** What a schema has against a file; empty where it has nothing. */
export function objectionsOf(schema: Schema, file: string): string {
  const transform = schema === 'gitlab-ci' ? ['--data-transform', 'gitlab-ci'] : []
  const { status, stdout, stderr } = spawnSync(
    'python3',
    ['-m', 'check_jsonschema', '--builtin-schema', `vendor.${schema}`, ...transform, file],
    { encoding: 'utf8', env: { ...process.env, PYTHONPATH: CHECK_JSONSCHEMA_PATH } },
  )
  return status === 0 ? '' : stdout + stderr
}
