/** What `sluice try` says and does while its files change, by transcripts, with a real nginx. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { isObject, type JsonObject } from '../../../src/json/member.ts'
import { parseRecord } from '../../../src/proxy/error-log.ts'
import { describeTranscripts, fileOf, isTemplate, type Play } from '../../support/transcripts.ts'
import type { Part } from '../../support/txtar.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { type Texts, type Trying, tryUntilApplied } from './trying.ts'

/** An event in a line: of a condition `OBJECT[ on TARGET]: TYPE=STATUS REASON`, and why it is false. */
function describeEvent({ event, ...one }: JsonObject): string {
  const nameOf = (object: unknown) =>
    isObject(object) ? [object.kind, object.namespace, object.name].filter((part) => part !== undefined).join('/') : ''
  const on = isObject(one.ancestor) ? ` on ${nameOf(one.ancestor)}` : ''
  const why = one.status === 'False' ? `: ${one.message}` : ''
  const words: Readonly<Record<string, string>> = {
    applied: `${one.revision}`,
    condition: `${nameOf(one.object)}${on}: ${one.type}=${one.status} ${one.reason}${why}`,
    finding: `${one.rule} ${one.severity} ${one.file}`,
    limited: `${one.outcome} ${one.zone}`,
    listening: `${one.gateway} ${one.listener}`,
    refused: `${one.revision} ${one.policy} by ${one.by}: ${one.message}`,
  }
  return `${event} ${words[String(event)] ?? JSON.stringify(one)}\n`
}

/** Records of the error log with some words, without numbers, each once in a row. */
function recordsWith(words: string, log: string): string {
  const records = log.split('\n').flatMap((line) => parseRecord(line) ?? [])
  const lines = records
    .filter(({ message }) => words.split('|').some((word) => message.includes(word)))
    .map(({ level, message }) => `[${level}] ${message.replace(/\d+/g, 'N')}\n`)
  return lines.filter((line, index) => line !== lines[index - 1]).join('')
}

/** The steps of a test, which return what is to be seen. The files before a step are written by it. */
function stepsOf(start: (files: Texts, args: readonly string[]) => Promise<Trying>) {
  let trying: Trying | undefined
  let files: Texts = {}
  const seen = { events: 0, stderr: 0, workers: 0 }
  const now = () => {
    if (!trying) throw new Error('"$ try" must come first')
    return trying
  }
  const write = (name: string, text: string | undefined) => {
    files = { ...files, [name]: text }
  }
  const take = () => {
    const taken = files
    files = {}
    return taken
  }
  /** What was said until an event; limited requests are said later than they were. */
  const until = async (kind: string) => {
    const last = await now().event({ event: kind }, seen.events)
    const end = now().events.indexOf(last)
    const said = now().events.slice(seen.events, end + 1)
    seen.events = end + 1
    const shown = said.filter((one) => one === last || one.event !== 'limited')
    return shown.map(describeEvent).join('')
  }
  const steps: Readonly<Record<string, (words: string) => Promise<string> | string>> = {
    async try(args) {
      trying = await start(take(), args.split(' ').filter(Boolean))
      return until('applied')
    },
    apply() {
      now().write(take())
      return until('applied')
    },
    write() {
      now().write(take())
      return ''
    },
    until,
    /** The next line with some words. */
    async stderr(words) {
      const lines = () => now().stderr().split('\n').slice(seen.stderr, -1)
      await expect.poll(() => lines().join('\n')).toContain(words)
      const at = lines().findIndex((line) => line.includes(words))
      const line = lines()[at]
      seen.stderr += at + 1
      return `${line}\n`
    },
    records: (words) => recordsWith(words, now().errorLog()),
    workers() {
      const count = now().errorLog().split('start worker process ').length
      const isNew = count > seen.workers
      seen.workers = count
      return isNew ? 'new workers\n' : 'the same workers\n'
    },
    rm(name) {
      write(name, undefined)
      return ''
    },
    rename(names) {
      const [from = '', to = ''] = names.split(' ')
      renameSync(join(now().folder, from), join(now().folder, to))
      return ''
    },
    /** Milliseconds, or until the next second begins. */
    wait: (time) => pause(time === '' ? 1_100 - (Date.now() % 1_000) : Number(time), ''),
    /** Requests that come at once: `/coffee 2`. */
    async get(words) {
      const [path = '', count] = words.split(' ')
      return `${(await now().statuses(path, Number(count))).join(' ')}\n`
    },
  }
  return { write, step: (name: string, words: string) => steps[name]?.(words) }
}

describeNewestNginx('sluice try', (program) => {
  const play: Play = async (shared, own, known) => {
    const { step, write } = stepsOf((files, args) => tryUntilApplied(program, files, args))
    const playPart = async (part: Part): Promise<Part> => {
      const [, name, words = ''] = /^\$ (\w+) ?(.*)$/.exec(part.name) ?? []
      if (name !== undefined) return { ...part, text: (await step(name, words)) ?? `there is no step "${name}"\n` }
      const [path, text] = fileOf(part, known)
      if (!isTemplate(path)) write(path, text)
      return part
    }
    for (const part of shared) await playPart(part)
    const outcome = []
    for (const part of own) outcome.push(await playPart(part))
    return outcome
  }
  describeTranscripts(new URL('../../fixtures/try/', import.meta.url), play)
})
