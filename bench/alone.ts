/** An nginx without a driver: what a test and a reload of a configuration cost by themselves, as a script does them. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigurationFile } from '../src/proxy/configuration.ts'
import { judgeLog } from '../src/proxy/words.ts'
import type { NginxProgram } from '../test/nginx/real-nginx.ts'
import { median } from './measure.ts'
import type { Measured } from './suite.ts'

/** The nginx, and the folder that is its prefix. */
export type Alone = { readonly program: NginxProgram; readonly folder: string }

/** Milliseconds of changes by a driver, and of the same by nginx alone; the first of each is there to warm up. */
export type Times = Record<'driven' | 'alone', number[]>

const parametersOf = ({ folder }: Alone) => ['-p', folder, '-c', join(folder, 'conf/nginx.conf')]

export function startAlone(alone: Alone, files: readonly ConfigurationFile[]): void {
  write(alone, files)
  spawnSync(alone.program.path, parametersOf(alone))
}

export const stopAlone = (alone: Alone): void => {
  spawnSync(alone.program.path, [...parametersOf(alone), '-s', 'stop'])
}

/** The milliseconds from the files, which are there, until the workers are new ones. */
export async function reloadedAlone(alone: Alone, files: readonly ConfigurationFile[]): Promise<number> {
  const { folder, program } = alone
  write(alone, files)
  const log = join(folder, 'error.log')
  const before = readFileSync(log, 'utf8').length
  const master = Number(readFileSync(join(folder, 'nginx.pid'), 'utf8'))
  const old = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number)
  const begun = performance.now()
  const tested = spawnSync(program.path, ['-t', '-q', ...parametersOf(alone)], { encoding: 'utf8' })
  if (tested.status !== 0) throw new Error(tested.stderr)
  process.kill(master, 'SIGHUP')
  for (;;) {
    const lines = readFileSync(log, 'utf8').slice(before).split('\n')
    const verdict = judgeLog(lines, { folder, reloads: master, old })
    if (verdict?.accepted) return performance.now() - begun
    if (verdict) throw new Error(verdict.words)
    await sleep(1)
  }
}

/** What a driver costs beside nginx alone. */
export function comparedToAlone(times: Times, bar: number): Measured {
  const [driven, alone] = [median(times.driven.slice(1)) / 1000, median(times.alone.slice(1)) / 1000]
  const ratio = driven / alone
  const details = `${driven.toFixed(3)} s : ${alone.toFixed(3)} s`
  return { figure: ratio.toFixed(2), kept: ratio <= bar, details }
}

function write({ folder }: Alone, files: readonly ConfigurationFile[]): void {
  for (const { name, text } of files) {
    const path = join(folder, 'conf', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
