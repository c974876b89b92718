/**
 * Files, exports, types and dependencies without a use, which `npm run lint` rejects: `knip` looks at everything, and
 * `knip --production` at the product alone, where a use by tests does not count.
 */
import type { KnipConfig } from 'knip'

const isProduction = process.argv.includes('--production')

/** `!` marks what belongs to the product. */
export default {
  entry: [
    'src/index.ts!',
    'src/browser.ts!',
    'src/cli/bin.ts!',
    'src/cli/process.ts!',
    'src/simulate/logs/threads.ts!',
    'src/studio/main.tsx!',
    'src/studio/library/worker.ts!',
    'action/main.mjs!',
    'bench/*.{ts,mjs}',
    'scripts/*.mjs',
    // Loaded by the names that scripts/mutation.ts gives Stryker.
    'scripts/mutation/sample.ts',
    // Started as a process by the tests of the store.
    'test/store/writer.ts',
    'vitest.mutation.config.ts',
    'scripts/mutation/setup.ts',
  ],
  project: ['{src,rules,action}/**/*.{ts,tsx,mjs}!', '{test,bench,fuzz,scripts}/**/*.{ts,mjs}'],
  // Tests may also import the inner functions of a module; the product must use each of them somewhere.
  ignoreExportsUsedInFile: isProduction,
  // No import names it: Stryker loads it as its runner.
  ignoreDependencies: isProduction ? [] : ['@stryker-mutator/vitest-runner'],
  // Programs of the machine. No package of npm installs them; scripts and tests say where one is missing.
  ignoreBinaries: isProduction
    ? []
    : ['apt-cache', 'apt-get', 'dd', 'gawk', 'kubectl', 'mkfifo', 'mount', 'patch', 'umount', 'unshare', 'wrk'],
} satisfies KnipConfig
