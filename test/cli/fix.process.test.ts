/** A run of `sluice lint --fix` that a signal ends in the middle. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

const RIGHT = policy()

describe('a run of --fix that is ended in the middle', () => {
  const FILES = 1000
  /** A run may end before the signal comes. */
  const TRIES = 10
  const names = Array.from({ length: FILES }, (_, index) => `f${index}.yaml`)
  const start = (folder: string) => spawn(process.execPath, [resolve('dist/cli.js'), 'lint', '--fix'], { cwd: folder })

  /** Ends a run by a signal when it has begun to write. */
  async function interrupt(folder: string, signal: NodeJS.Signals) {
    const program = start(folder)
    const ended = new Promise<string | null>((done) => program.once('exit', (_, by) => done(by)))
    while (program.exitCode === null && readFileSync(join(folder, 'f0.yaml'), 'utf8') === WRONG)
      await new Promise(setImmediate)
    program.kill(signal)
    return await ended
  }

  const crowded = () => createFolder(Object.fromEntries(names.map((name) => [name, WRONG])))
  const texts = (folder: string) => new Set(names.map((name) => readFileSync(join(folder, name), 'utf8')))

  /** A folder in which a signal has ended a run when it had written some files and not all. */
  async function interrupted(signal: NodeJS.Signals): Promise<string> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const folder = crowded()
      if ((await interrupt(folder, signal)) === signal && texts(folder).size > 1) return folder
    }
    throw new Error(`${signal} came too late ${TRIES} times`)
  }

  it('by kill -9 leaves every file the old one or the new one', async () => {
    const folder = await interrupted('SIGKILL')
    expect(texts(folder)).toEqual(new Set([WRONG, RIGHT]))
    // What was being written lies hidden beside, and is nothing that is ever judged.
    const others = readdirSync(folder).filter((name) => !names.includes(name))
    expect(others.filter((name) => !/^\.sluice-[\w-]+$/.test(name))).toEqual([])
    expect((await sluice(['lint', '--fix'], { cwd: folder })).code).toBe(0)
    expect(texts(folder)).toEqual(new Set([RIGHT]))
    expect(readdirSync(folder).sort()).toEqual([...names].sort())
  })

  it('by Ctrl-C leaves nothing beside them either', async () => {
    const folder = await interrupted('SIGINT')
    expect(texts(folder)).toEqual(new Set([WRONG, RIGHT]))
    expect(readdirSync(folder).sort()).toEqual([...names].sort())
  })
})
