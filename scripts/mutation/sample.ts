/** What Stryker loads: a checker that lets a random sample of the mutants pass, and a reporter that prints each survivor at once. */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check'
import type { Mutant, MutantResult } from '@stryker-mutator/api/core'
import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import type { Reporter } from '@stryker-mutator/api/report'

/** What to draw: Stryker starts checkers in processes of their own, which the environment reaches. */
export type Draw = {
  /** One of FOLDERS, whose tests run. */
  readonly folder: string
  readonly seed: string
  /** Mutants to draw; undefined for all. */
  readonly sample: number | undefined
}

const { seed, sample = Number.POSITIVE_INFINITY }: Draw = JSON.parse(process.env.SLUICE_MUTATION ?? '')

/** The order of the draw: it depends on the seed and the mutant alone, so that a sample can be drawn again. */
function rankOf({ fileName, location: { start, end }, mutatorName, replacement }: Mutant): string {
  const place = [relative(process.cwd(), fileName), start.line, start.column, end.line, end.column]
  return createHash('sha256')
    .update(JSON.stringify([seed, ...place, mutatorName, replacement]))
    .digest('hex')
}

class Sample implements Checker {
  readonly #drawn = new Set<string>()

  async init(): Promise<void> {}

  /** Gets all mutants at once, and draws. */
  async group(mutants: readonly Mutant[]): Promise<string[][]> {
    const ranked = mutants.map((mutant) => ({ id: mutant.id, rank: rankOf(mutant) }))
    for (const { id } of ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, sample)) this.#drawn.add(id)
    return [mutants.map(({ id }) => id)]
  }

  /** Stryker knows no other way to leave a mutant out: one that "does not compile" does not count in the score. */
  async check(mutants: readonly Mutant[]): Promise<Record<string, CheckResult>> {
    return Object.fromEntries(
      mutants.map(({ id }) => [
        id,
        this.#drawn.has(id)
          ? { status: CheckStatus.Passed }
          : { status: CheckStatus.CompileError, reason: 'not in the sample' },
      ]),
    )
  }
}

/** `src/limits/rate.ts:31:7 EqualityOperator (Survived): a > b` */
function describe({ fileName, location: { start }, mutatorName, status, replacement = '' }: MutantResult): string {
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`
  return `${place} ${mutatorName} (${status}): ${replacement}`
}

const survivors: Reporter = {
  onMutantTested(result) {
    if (result.status === 'Survived' || result.status === 'NoCoverage') console.log(describe(result))
  },
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Checker, 'sample', Sample),
  declareValuePlugin(PluginKind.Reporter, 'survivors', survivors),
]
