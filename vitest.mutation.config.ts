import { defineConfig } from 'vitest/config'

/** The unit tests that `npm run mutation` runs against each mutant: those of the folders that it mutates. */
export default defineConfig({
  test: {
    environment: 'node',
    // One module graph for all test files: a mutant costs a second instead of five.
    isolate: false,
    testTimeout: 60_000,
    setupFiles: ['scripts/mutation/setup.ts'],
    include: [
      'test/{rules,limits,gateway,lint}/**/*.test.ts',
      'test/nginx/{bucket,codes,key,memory,parameter,records,refusals,variables,zone-key}.test.ts',
      'test/{fixtures,examples}.test.ts',
    ],
    // Takes longer than all others together.
    exclude: ['test/lint/suppressions.test.ts'],
  },
})
