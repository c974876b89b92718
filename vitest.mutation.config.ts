import { defineConfig } from 'vitest/config'

/** The unit tests that `npm run mutation` runs against each mutant: those of the folders that it mutates. */
export default defineConfig({
  test: {
    environment: 'node',
    // Without nginx: `npm run test:nginx` asks it.
    env: { SLUICE_NGINX: '', SLUICE_NGINX_MAINLINE: '', CI: '' },
    // One module graph for all test files: a mutant costs a second instead of five.
    isolate: false,
    testTimeout: 60_000,
    setupFiles: ['scripts/mutation/setup.ts'],
    include: [
      'test/{rules,limits,gateway,lint,queries,world}/**/*.test.ts',
      'test/nginx/{bucket,grpc-status,key,memory,parameter,rejections,responses,variables}.test.ts',
      'test/{fixtures,examples,servers/admission,servers/observe}.test.ts',
    ],
    // They take longer than all others together, and kill hardly a mutant that those do not.
    exclude: ['test/lint/{suppressions,fix}.test.ts', 'test/rules/total.test.ts', 'test/queries/browser.test.ts'],
  },
})
