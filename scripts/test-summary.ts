/** The last line of every test run, for people and for scripts: `N passed, N failed`. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Prints which tests passed only when they ran again, and the last line. Must come after the reporter with the details. */
export const testSummary: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
        if (test.diagnostic()?.flaky)
          console.log(`passed only when it ran again: ${module.relativeModuleId}: ${test.fullName}`)
      }
      // Where a file or a hook fails, its tests do not run: that counts as a failure, though no test has failed.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1
    }
    if (count.skipped > 0) console.log(`${count.skipped} skipped`)
    console.log(`${count.passed} passed, ${count.failed} failed`)
  },
}
