/** `sluice effective`. */
import { answerEffective } from '../../queries/effective.ts'
import { sightsOf } from '../../queries/query-world.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { effectiveJson, effectiveText } from '../../reports/effective/effective.ts'
import { type Command, command } from '../core/command.ts'
import { INPUT_FLAGS, readChoice, readInputs } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

const FORMATS = ['text', 'json'] as const
const COMPOSITIONS = ['stack', 'inherit'] as const

export const effectiveCommand: Command = command({
  name: 'effective',
  summary: 'list the limits that apply to requests of a route or a Gateway',
  usage: 'KIND/[NAMESPACE/]NAME [paths…] [flags]',
  details: `KIND is HTTPRoute, GRPCRoute or Gateway. Paths are as for lint: files, folders,
globs in quotes, or - for the standard input; without one, the current folder.
What is not among them is unknown, and the answer says so; --closed-world says
that there is nothing else.`,
  flags: {
    format: { value: 'NAME', summary: `how to answer: ${FORMATS.join(', ')}; the JSON is a contract` },
    composition: { value: 'HOW', summary: 'stack or inherit; default: as the settings say, else stack' },
    world: { value: 'NAME', summary: 'the world that is meant, where the settings name several' },
    ...INPUT_FLAGS,
  },
  examples: [
    { line: 'sluice effective HTTPRoute/coffee examples/shop', does: 'every limit that a cup of coffee meets' },
    { line: 'sluice effective Gateway/shop/storefront k8s', does: 'what holds for all routes of a Gateway' },
    { line: 'sluice effective HTTPRoute/coffee --composition inherit', does: 'as nginx inherits directives' },
    {
      line: 'kustomize build . | sluice effective HTTPRoute/coffee - --closed-world',
      does: 'what reaches the cluster',
    },
    { line: 'sluice effective HTTPRoute/coffee --format json', does: 'for programs' },
  ],
  run: async (io, given) => {
    const [asked, ...paths] = given.positionals
    if (asked === undefined) throw new InputError('limits of what? write KIND/NAME, such as HTTPRoute/coffee')
    const format = readChoice('format', given.value('format'), FORMATS)
    const composition = given.has('composition')
      ? readChoice('composition', given.value('composition'), COMPOSITIONS)
      : undefined
    const color = wantsColor(given.value('color'), io.stdout, io)
    const { project, collected, closedWorld, namespace } = await readInputs(io, given, paths)
    const settings = { ...project.settings, ...(composition ? { composition } : {}) }
    const sights = sightsOf(collected.sources, { settings, closedWorld })
    const answer = answerEffective(asked, sights, { settings, namespace, world: given.value('world') })
    if (!answer.ok) throw new InputError(escapeUnsafe(answer.problem))
    const page = { color, width: io.stdout.columns }
    io.stdout.write(format === 'json' ? effectiveJson(answer.value) : effectiveText(answer.value, page))
    io.onWork?.()
    return collected.problems.length > 0 ? EXIT.input : EXIT.clean
  },
})
