/** A checker for Stryker that lets a random sample of the mutants pass. */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check'
import type { Mutant } from '@stryker-mutator/api/core'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** Stryker starts checkers in processes of their own: the sample reaches them by the environment. */
const { SLUICE_MUTATION_SHARE: share = '1', SLUICE_SEED: seed = '' } = process.env

/** A number from 0 to 1 that depends on the seed and the mutant alone, so that a sample can be drawn again. */
function drawn({ fileName, location: { start, end }, mutatorName, replacement }: Mutant): number {
  const place = [relative(process.cwd(), fileName), start.line, start.column, end.line, end.column]
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...place, mutatorName, replacement]))
    .digest()
  return digest.readUInt32BE() / 2 ** 32
}

class Sample implements Checker {
  async init(): Promise<void> {}

  /** Stryker knows no other way to leave a mutant out: one that "does not compile" does not count in the score. */
  async check(mutants: readonly Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        drawn(mutant) < Number(share)
          ? { status: CheckStatus.Passed }
          : { status: CheckStatus.CompileError, reason: 'not in the sample' },
      ]),
    )
  }

  async group(mutants: readonly Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)]
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)]
