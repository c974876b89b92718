import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { hasControlPlane } from './scripts/kube-apiserver.ts'
import { MAINLINE_NGINX } from './scripts/provide.ts'
import { testSummary } from './scripts/test-summary.ts'

/** Suites that are not units: each has its command, `npm run test:<name>`. A file belongs to the first that has it. */
const SUITES = {
  // Slow, and the only ones that prove what they prove.
  nightly: {
    include: ['test/**/*.nightly.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    globalSetup: 'test/cluster/shared-planes.ts',
  },
  // What mocks a module, or measures the memory of its process, and so shares neither with other files.
  isolated: { include: ['test/**/*.isolated.test.ts'], isolate: true },
  // The built program, as a process.
  process: { include: ['test/**/*.process.test.ts'] },
  // How work grows with its input, in processor time: one file at a time.
  growth: { include: ['test/growth/**/*.test.ts'], isolate: true, fileParallelism: false, sequence: { groupOrder: 1 } },
  tools: { include: ['test/tools/**/*.test.ts'], testTimeout: 1_800_000 },
  nginx: { include: ['test/nginx/**/*.test.ts'], testTimeout: 900_000 },
  cluster: {
    include: ['test/cluster/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 600_000,
    globalSetup: 'test/cluster/shared-planes.ts',
  },
  gitops: { include: ['test/gitops/**/*.test.ts'], testTimeout: 1_800_000, hookTimeout: 1_800_000 },
  browser: { include: ['test/browser/**/*.test.ts'], testTimeout: 300_000 },
  packing: { include: ['test/packing/**/*.test.ts'], testTimeout: 1_800_000, hookTimeout: 1_800_000 },
}

/** What the suites before one have. */
const before = (name: string): readonly string[] => {
  const names = Object.keys(SUITES)
  return Object.values(SUITES)
    .slice(0, names.indexOf(name) === -1 ? names.length : names.indexOf(name))
    .flatMap(({ include }) => include)
}

/** Without a control plane its tests cannot start; `npm test` has said so in one line, `npm run test:cluster` fails. */
const absent = hasControlPlane() ? [] : SUITES.cluster.include

/** What `npm test` provided, for the tests that ask for it. */
const env: Record<string, string> =
  process.env.SLUICE_NGINX_MAINLINE === undefined && existsSync(MAINLINE_NGINX)
    ? { SLUICE_NGINX_MAINLINE: MAINLINE_NGINX }
    : {}

/** Limits for what hangs: nothing is measured by them. */
const shared = {
  environment: 'node',
  // One graph of modules for all files of a worker: it is a third of the time.
  isolate: false,
  env,
  setupFiles: ['test/setup/seed.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 150_000 } },
} as const

export default defineConfig({
  test: {
    reporters: ['default', testSummary],
    // The default leaves one processor unused: of two that is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...before('unit')],
        },
      },
      ...Object.entries(SUITES).map(([name, suite]) => ({
        test: { ...shared, name, ...suite, exclude: [...absent, ...before(name)] },
      })),
    ],
  },
})
