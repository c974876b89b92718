/** The last line of every test run, for people and for scripts: `N passed, N failed`. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Reports nothing but the closing line; stands after the reporter that tells the story. */
export const testSummary: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
      // A file or a hook that broke took its tests with it: that is a failure, though no test says so.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1
    }
    if (count.skipped > 0) console.log(`${count.skipped} skipped`)
    console.log(`${count.passed} passed, ${count.failed} failed`)
  },
}
