/**
 * Runs the tests of one rule, in seconds: its fixtures, their remedies and fixes, its examples, and what the webhook and
 * the library say of them.
 *
 *     npm run test:rule gateway/rate-syntax
 *
 * Exit codes: 0 when all pass, 1 when one fails or there is none, 2 for a rule that does not exist.
 */
import { createVitest } from 'vitest/node'
import { RULES } from '../rules/index.ts'
import { nearest } from '../src/text/nearest.ts'
import { countTests } from './test-summary.ts'

/** Where tests name the rule that they are about. */
const FILES = [
  'test/fixtures.test.ts',
  'test/remedies/',
  'test/lint/fix.test.ts',
  'test/rules/',
  'test/servers/parity.test.ts',
  'test/servers/mutate.test.ts',
  'test/library/admit.test.ts',
]

const HELP = `npm run test:rule ID: runs the tests of one rule, such as

  npm run test:rule gateway/rate-syntax

npm run test:cluster has a real API server ask its CEL expression.`

const EXPRESSION = /[.*+?^${}()|[\]\\]/g

/** Runs the tests whose names have the id as a whole word. */
async function run(id: string): Promise<number> {
  const vitest = await createVitest('test', {
    run: true,
    watch: false,
    project: ['unit'],
    testNamePattern: new RegExp(`(?<![\\w/-])${id.replaceAll(EXPRESSION, '\\$&')}(?![\\w/-])`),
    hideSkippedTests: true,
  })
  try {
    const { testModules } = await vitest.start(FILES)
    const { passed, failed } = countTests(testModules)
    if (passed + failed === 0) console.error(`no test names the rule ${id}: add fixtures in test/fixtures/${id}/`)
    return passed + failed === 0 || failed > 0 ? 1 : 0
  } finally {
    await vitest.close()
  }
}

async function main([id = '--help', ...more]: readonly string[]): Promise<number> {
  if (id === '--help' || more.length > 0) {
    console.log(HELP)
    return more.length > 0 ? 2 : 0
  }
  const ids = RULES.map((rule) => rule.id)
  if (ids.includes(id)) return await run(id)
  const near = nearest(id, ids)
  console.error(`there is no rule "${id}"${near ? `; did you mean "${near}"?` : `; there are:\n  ${ids.join('\n  ')}`}`)
  return 2
}

process.exitCode = await main(process.argv.slice(2))
