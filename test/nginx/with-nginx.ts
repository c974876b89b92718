/** Tests that ask real nginx programs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_CASES } from '../runs.ts'
import { type Bench, createBench, findPrograms, type NginxProgram } from './real-nginx.ts'

/**
 * Declares tests once a program. Without any it says so in one line and skips them; under CI it fails.
 */
export function describeNginx(title: string, declare: (program: NginxProgram) => void): void {
  describePrograms(title, findPrograms(), declare)
}

/**
 * The same with the newest program alone, but for the nightly run: for what is about processes of ours. Without it, where
 * SLUICE_NGINX_MAINLINE is empty, that is the other one.
 */
export function describeNewestNginx(title: string, declare: (program: NginxProgram) => void): void {
  describePrograms(title, findPrograms().slice(ALL_CASES ? 0 : -1), declare)
}

function describePrograms(
  title: string,
  programs: readonly NginxProgram[],
  declare: (program: NginxProgram) => void,
): void {
  for (const program of programs) describe(`${title} (nginx ${program.version})`, () => declare(program))
  if (programs.length > 0) return
  if (process.env.CI) test(title, () => expect(programs, 'a real nginx is needed').not.toEqual([]))
  else {
    console.log(`skipped: ${title}: no nginx found; set SLUICE_NGINX`)
    test.skip(title, () => undefined)
  }
}

/** What all tests of a group share: made before them, and ended after them. */
export function shared<Value>(make: () => Promise<Value>, end: (value: Value) => Promise<void>): () => Value {
  let made: { readonly value: Value } | undefined
  beforeAll(async () => {
    made = { value: await make() }
  })
  afterAll(async () => {
    if (made) await end(made.value)
  })
  return () => {
    if (!made) throw new Error('nginx does not run')
    return made.value
  }
}

/** A bench that lives as long as the test file. */
export function benchFor(program: NginxProgram): Bench {
  const bench = createBench(program)
  afterAll(() => bench.dispose())
  return bench
}
