/** Drivers in folders of their own. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Wanted } from '../../../src/proxy/configuration.ts'
import { type Driver, type DriverOptions, type Outcome, openDriver } from '../../../src/proxy/driver.ts'
import { processesWriting, signal } from '../../../src/proxy/processes.ts'
import { freePort } from '../../free-ports.ts'
import type { NginxProgram } from '../real-nginx.ts'
import { composing, formsOf } from './forms.ts'

/** A driver with a port and a folder. */
export type Driving = {
  readonly folder: string
  readonly port: number
  readonly driver: Driver
  apply(forms: Readonly<Record<string, string>>, more?: Partial<Wanted>): Promise<Outcome>
  /** What a part's location answers. */
  get(name: string): Promise<string>
}

/** A folder that is removed after the test, with every nginx in it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-proxy-'))
  afterThisTest(() => {
    for (const left of processesWriting(join(folder, 'error.log'))) signal(left, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Done after the test, the last first. */
export const afterThisTest = (cleanup: () => Promise<void> | void): void => onTestFinished(cleanup)

/** A program that does something before it becomes nginx, or instead. */
export function wrapper(program: string, script: string): string {
  const path = join(newFolder(), 'nginx')
  writeFileSync(path, `#!/bin/sh\n${script}\nexec ${program} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

/** The pid of the nginx that runs. Throws where none does: a signal to 0 would end the tests. */
export function masterOf(driver: Driver): number {
  const master = driver.master()
  if (!master) throw new Error('no nginx runs')
  return master.pid
}

/** A driver as long as the test; `folder` and `port` may be those of another one before. */
export async function drive(
  program: Pick<NginxProgram, 'path'>,
  { folder = newFolder(), port, ...options }: Partial<DriverOptions> & { readonly port?: number } = {},
): Promise<Driving> {
  const driver = await openDriver({ nginx: program.path, folder, ...options })
  afterThisTest(() => driver.stop())
  const at = port ?? (await freePort())
  return {
    folder,
    port: at,
    driver,
    apply: (forms, more = {}) => driver.apply({ forms: formsOf(forms), compose: composing(at), ...more }),
    get: async (name) => (await fetch(`http://127.0.0.1:${at}/${name}`)).text(),
  }
}
