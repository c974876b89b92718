/**
 * Runs projects of tests with real programs, as `vitest run` does, for `.ci/run`. Other work on the machine can make one of
 * thousands fail: such a test runs once more, and so does a file of which a hook failed. Both are listed.
 */
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node'
import { countTests, isBroken } from './test-summary.ts'

/** Files more at a time than there are processors: those of a cluster wait most of the time. */
const MORE = 2

/** Files that take minutes begin first, so that none of them is what the others have to wait for. */
const SLOW = [
  'test/gitops/pre-commit.test.ts',
  'test/browser/rate-limit-form.test.ts',
  'test/tools/schemathesis.test.ts',
  'test/cluster/controller.test.ts',
  'test/browser/simulation.test.ts',
  'test/browser/management.test.ts',
  'test/cluster/faults.test.ts',
]

/** The slow ones, then the others as vitest sorts them. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) => {
      const index = SLOW.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? SLOW.length : index
    }
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}
const project = process.argv.slice(2)
if (project.length === 0) throw new Error('say which projects: npm run test:retry -- cluster browser')
const maxWorkers = availableParallelism() + MORE
const vitest = await createVitest('test', {
  run: true,
  watch: false,
  retry: 1,
  project,
  maxWorkers,
  sequence: { sequencer: SlowFirst },
})
try {
  const { testModules: first, unhandledErrors } = await vitest.start()
  const broken = first.filter(isBroken)
  if (broken.length > 0) {
    for (const { relativeModuleId } of broken) console.log(`runs again, as a hook failed: ${relativeModuleId}`)
    const { testModules: again, unhandledErrors: more } = await vitest.runTestSpecifications(
      broken.map((module) => module.toTestSpecification()),
    )
    const { passed, failed } = countTests([...first.filter((module) => !broken.includes(module)), ...again])
    const errors = unhandledErrors.length + more.length
    console.log(`${passed} passed, ${failed + errors} failed`)
    process.exitCode = failed + errors > 0 ? 1 : 0
  }
} finally {
  await vitest.close()
}
