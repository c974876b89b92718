import { defineConfig } from 'vitest/config'
import { FOLDERS, LEFT_OUT } from './scripts/mutation/folders.ts'
import type { Draw } from './scripts/mutation/sample.ts'

const { folder }: Draw = JSON.parse(process.env.SLUICE_MUTATION ?? '')

/** The tests that `npm run mutation` runs against each mutant of a folder. */
export default defineConfig({
  test: {
    environment: 'node',
    // Only what drives an nginx has one here: `npm run test:nginx` asks it everything else.
    env: { ...(folder === 'src/proxy' ? {} : { SLUICE_NGINX: '' }), SLUICE_NGINX_MAINLINE: '', CI: '' },
    // One module graph for all test files: a mutant costs a second instead of five.
    isolate: false,
    testTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['scripts/mutation/setup.ts'],
    include: [...(FOLDERS[folder] ?? [])],
    exclude: LEFT_OUT,
  },
})
