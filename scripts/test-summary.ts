/** The last line of every test run, for people and for scripts: `N passed, N failed`. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** True where a file or one of its hooks failed: then tests do not run, though none of them has failed. */
export const isBroken = (module: TestModule): boolean =>
  module.errors().length > 0 || [...module.children.allSuites()].some((suite) => suite.errors().length > 0)

/** What became of the tests of files; a broken file is a failure. */
export function countTests(modules: readonly TestModule[]): { passed: number; failed: number; skipped: number } {
  const count = { passed: 0, failed: modules.filter(isBroken).length, skipped: 0 }
  for (const module of modules)
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state !== 'pending') count[state] += 1
    }
  return count
}

/** Prints which tests passed only when they ran again, and the last line. Must come after the reporter with the details. */
export const testSummary: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]) {
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky)
          console.log(`passed only when it ran again: ${module.relativeModuleId}: ${test.fullName}`)
    const { passed, failed, skipped } = countTests(modules)
    if (skipped > 0) console.log(`${skipped} skipped`)
    console.log(`${passed} passed, ${failed + unhandledErrors.length} failed`)
  },
}
