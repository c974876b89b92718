/** `sluice status`. */

import { unknownWorld } from '../../queries/find-target.ts'
import { type Sight, sightsOf } from '../../queries/query-world.ts'
import { answerStatus, type StatusAnswer } from '../../queries/status.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { statusTable } from '../../reports/status/status.ts'
import { writeDocuments } from '../../yaml/write.ts'
import { type Command, command } from '../core/command.ts'
import { INPUT_FLAGS, readChoice, readInputs } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

const FORMATS = ['table', 'yaml', 'json'] as const

export const statusCommand: Command = command({
  name: 'status',
  summary: 'show which policies are accepted, and which targets they affect',
  usage: '[paths…] [flags]',
  details: `Paths are as for lint. A policy is accepted on a target that exists where it has
no errors of its own and loses to no other policy: the older one wins, and of
the same age the one whose name comes first. A target that is not among the
files is unknown, unless --closed-world says that there is nothing else.

As yaml and json the policies and their targets are printed whole, with the
status that they would carry.`,
  flags: {
    format: { value: 'NAME', summary: `how to answer: ${FORMATS.join(', ')}` },
    'controller-name': { value: 'NAME', summary: "the controller's name; default: NGINX Gateway Fabric's" },
    now: { value: 'TIME', summary: 'the time of new conditions: 2026-01-31T12:00:00Z' },
    world: { value: 'NAME', summary: 'one world alone, where the settings name several' },
    ...INPUT_FLAGS,
  },
  examples: [
    { line: 'sluice status k8s', does: 'a table of policies and of the targets that they affect' },
    { line: 'sluice status k8s --closed-world', does: 'targets that are not among the files do not exist' },
    {
      line: 'kubectl get ratelimitpolicies,gateways,httproutes -A -o yaml | sluice status -',
      does: 'of what lives in a cluster',
    },
    { line: 'sluice status k8s --format yaml --now 2026-01-31T12:00:00Z', does: 'whole objects, the same each time' },
  ],
  run: async (io, given) => {
    const format = readChoice('format', given.value('format'), FORMATS)
    const color = wantsColor(given.value('color'), io.stdout, io)
    const now = readTime(given.value('now'))
    const controllerName = readControllerName(given.value('controller-name'))
    const { project, collected, closedWorld } = await readInputs(io, given, given.positionals)
    const { settings } = project
    const sights = pickWorld(sightsOf(collected.sources, { settings, closedWorld }), given.value('world'))
    const answers = sights.map((sight) => answerStatus(sight, { settings, controllerName, now }))
    io.stdout.write(
      format === 'table' ? statusTable(answers, { color, width: io.stdout.columns }) : OBJECTS[format](answers),
    )
    io.onWork?.()
    return collected.problems.length > 0 ? EXIT.input : EXIT.clean
  },
})

const objectsOf = (answers: readonly StatusAnswer[]) => answers.flatMap(({ objects }) => objects)

const OBJECTS = {
  yaml: (answers: readonly StatusAnswer[]) => writeDocuments(objectsOf(answers)),
  json: (answers: readonly StatusAnswer[]) =>
    `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objectsOf(answers) }, null, 2)}\n`,
}

function pickWorld(sights: readonly Sight[], world: string | undefined): readonly Sight[] {
  if (world === undefined) return sights
  const picked = sights.filter(({ name }) => name === world)
  if (picked.length === 0) throw new InputError(escapeUnsafe(unknownWorld(world, sights)))
  return picked
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** The time that is given, else that of the clock; in UTC and whole seconds, as Kubernetes writes times. */
function readTime(text: string | undefined): string {
  const time = text === undefined ? new Date() : new Date(RFC_3339.test(text) ? text : Number.NaN)
  if (Number.isNaN(time.getTime())) throw new InputError(`--now is a time such as 2026-01-31T12:00:00Z; got "${text}"`)
  return `${time.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`
}

/** The API server takes a domain, a slash and a path. */
function readControllerName(name: string | undefined): string | undefined {
  if (
    name === undefined ||
    (name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[\w./~%!$&'()*+,;=:-]+$/.test(name))
  )
    return name
  throw new InputError(`--controller-name must be a name such as "example.com/gateway-controller"; got "${name}"`)
}
