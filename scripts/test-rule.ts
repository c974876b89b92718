/**
 * Runs the tests of one rule, in seconds: its fixtures, their remedies and fixes, its examples, and what the webhook and
 * the library say of them. Then a real API server evaluates its CEL, where there is one; `--quick` leaves that out.
 *
 *     npm run test:rule gateway/rate-syntax
 *
 * Exit codes: 0 when all pass, 1 when one fails or there is none, 2 for a rule that does not exist.
 */
import { createVitest, type TestUserConfig } from 'vitest/node'
import { RULES } from '../rules/index.ts'
import type { AnyRule } from '../src/engine/rule.ts'
import { nearest } from '../src/text/nearest.ts'
import { hasControlPlane } from './kube-apiserver.ts'
import { countTests } from './test-summary.ts'

/** Where tests name the rule that they are about. */
const FILES = [
  'test/fixtures.test.ts',
  'test/examples.test.ts',
  'test/remedies/remedies.test.ts',
  'test/lint/fix.test.ts',
  'test/rules/placeholders.test.ts',
  'test/servers/parity.test.ts',
  'test/servers/mutate.test.ts',
  'test/library/admit.test.ts',
]

/** Asks an API server about the policies that are exported of the rules in CEL. */
const CEL_FILE = 'test/cluster/admission-policies.test.ts'

const HELP = `npm run test:rule ID: runs the tests of one rule, such as

  npm run test:rule gateway/rate-syntax
  npm run test:rule gateway/rate-syntax -- --quick   without its CEL, which takes an API server`

const EXPRESSION = /[.*+?^${}()|[\]\\]/g

/** Node reads the modules as they are, and keeps their code (NODE_COMPILE_CACHE): making others takes longer than the tests. */
const AS_THEY_ARE = { experimental: { viteModuleRunner: false }, maxWorkers: 1 } as const

/** Runs the tests whose names have the id as a whole word. */
const run = (id: string): Promise<Counts> =>
  runFiles(FILES, {
    ...AS_THEY_ARE,
    // Some files are about the rules of one system.
    passWithNoTests: true,
    project: ['unit'],
    testNamePattern: new RegExp(`(?<![\\w/-])${id.replaceAll(EXPRESSION, '\\$&')}(?![\\w/-])`),
  })

type Counts = Pick<ReturnType<typeof countTests>, 'passed' | 'failed'>

async function runFiles(files: readonly string[], options: TestUserConfig): Promise<Counts> {
  const vitest = await createVitest('test', { run: true, watch: false, hideSkippedTests: true, ...options })
  try {
    return countTests((await vitest.start([...files])).testModules)
  } finally {
    await vitest.close()
  }
}

/** True for a rule that CEL can say: a policy of the API server is exported of it. */
const isInCel = ({ cel }: AnyRule): boolean => cel !== undefined && typeof cel !== 'string'

async function testRule(rule: AnyRule, isQuick: boolean): Promise<number> {
  const { id } = rule
  process.env.SLUICE_RULE = id
  const { passed, failed } = await run(id)
  if (passed + failed === 0) console.error(`no test names the rule ${id}: add fixtures in test/fixtures/${id}/`)
  if (passed + failed === 0 || failed > 0) return 1
  if (isQuick || !isInCel(rule)) return 0
  if (!hasControlPlane()) {
    console.log('its CEL is not evaluated: that takes an API server, which npm run test:cluster provides')
    return 0
  }
  return (await runFiles([CEL_FILE], { project: ['cluster'] })).failed > 0 ? 1 : 0
}

async function main(argv: readonly string[]): Promise<number> {
  const isQuick = argv.includes('--quick')
  const [id = '--help', ...more] = argv.filter((argument) => argument !== '--quick')
  if (id === '--help' || more.length > 0) {
    console.log(HELP)
    return more.length > 0 ? 2 : 0
  }
  const ids = RULES.map((rule) => rule.id)
  const rule = RULES.find((one) => one.id === id)
  if (rule) return await testRule(rule, isQuick)
  const near = nearest(id, ids)
  console.error(`there is no rule "${id}"${near ? `; did you mean "${near}"?` : `; there are:\n  ${ids.join('\n  ')}`}`)
  return 2
}

process.exitCode = await main(process.argv.slice(2))
