/**
 * Files, exports, types and dependencies without a use, which `npm run lint` rejects: `knip` looks at everything, and
 * `knip --production` at the product alone, where a use by tests does not count.
 */
import type { KnipConfig } from 'knip'

const isProduction = process.argv.includes('--production')

/** `!` marks what belongs to the product. */
/** The product, and what belongs to no suite with packages of its own. `!` marks what belongs to the product. */
const ROOT = {
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
    // Started as a process by the tests of the store.
    'test/store/writer.ts',
    'vitest.mutation.config.ts',
  ],
  project: ['{src,rules,action}/**/*.{ts,tsx,mjs}!', '{test,bench,fuzz,scripts}/**/*.{ts,mjs}'],
}

/** A folder with packages of its own. Its modules may use those of the root. */
const suite = (entry: readonly string[]) => ({ entry: [...entry], project: ['**/*.{ts,mjs}'] })

const SUITES = {
  'scripts/lint': { ...suite(['*.{ts,mjs}']), ignoreDependencies: ['@biomejs/biome'] },
  'scripts/mutation': { ...suite(['*.ts']), ignoreDependencies: ['@stryker-mutator/vitest-runner'] },
  'scripts/sbom': suite([]),
  'test/browser': suite(['*.test.ts']),
  'test/nginx': suite(['**/*.test.ts']),
}

export default {
  workspaces: { '.': ROOT, ...(isProduction ? {} : SUITES) },
  // Tests may also import the inner functions of a module; the product must use each of them somewhere.
  ignoreExportsUsedInFile: isProduction,
  // Programs of the machine. No package of npm installs them; scripts and tests say where one is missing.
  ignoreBinaries: isProduction
    ? []
    : ['apt-cache', 'apt-get', 'dd', 'gawk', 'kubectl', 'mkfifo', 'mount', 'patch', 'umount', 'unshare', 'wrk'],
} satisfies KnipConfig
