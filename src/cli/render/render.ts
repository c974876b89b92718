/** `sluice render`. */

import { writeFolder } from '../../files/write/new-files.ts'
import { answerRender, type RenderAnswer, type RenderedGateway } from '../../queries/render.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { renderFolders, renderJson, renderText } from '../../reports/render.ts'
import { type Command, command } from '../core/command.ts'
import { readInputs } from '../core/inputs.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'
import { RENDER_FLAGS, readRenderFlags, withRenderFlags } from './flags.ts'

export const renderCommand: Command = command({
  name: 'render',
  summary: 'write the nginx configuration that the policies mean',
  usage: '[paths…] [flags]',
  details: `Renders the Gateway among the manifests: zones and its own limits at http, those
of its routes in their locations. Paths are as for lint. Without --complete it
prints what stands in each context; with it a whole nginx.conf, to test with
nginx -t or to send requests to. The first lines say which composition it
assumes, and what was left out. --upstream and --port may be repeated.`,
  flags: RENDER_FLAGS,
  examples: [
    { line: 'sluice render examples/shop', does: 'what the policies put into each context' },
    { line: 'sluice render k8s --composition inherit', does: 'as NGINX Gateway Fabric has it' },
    { line: 'sluice render k8s --gateway shop/storefront --dir out', does: 'one file a policy, as the product does' },
    {
      line: 'sluice render k8s --complete --dir out && nginx -t -p out -c nginx.conf',
      does: 'what nginx says of it',
    },
    {
      line: 'sluice render k8s --complete --port 80=8080 --upstream tea=127.0.0.1:9001',
      does: 'a gateway to try at home',
    },
  ],
  run: async (io, given) => {
    const { format, dir, how } = readRenderFlags(given, io.cwd)
    const color = wantsColor(given.value('color'), io.stdout, io)
    const { project, collected, closedWorld, namespace } = await readInputs(io, given, given.positionals)
    const settings = withRenderFlags(project.settings, given)
    const answer = answerRender(collected.sources, {
      settings,
      closedWorld,
      how,
      namespace,
      gateway: given.value('gateway'),
      world: given.value('world'),
      several: dir !== undefined || format === 'json',
    })
    if (!answer.ok) throw new InputError(escapeUnsafe(answer.problem))
    if (dir !== undefined) writeAll(dir, answer.value, io)
    else if (format === 'json') io.stdout.write(renderJson(answer.value, settings.composition))
    else io.stdout.write(renderText(answer.value, { color, isTerminal: io.stdout.isTTY }))
    sayNotes(answer.value, io)
    io.onWork?.()
    return collected.problems.length > 0 ? EXIT.input : EXIT.clean
  },
})

/** Writes the files and names them, each in a line. Throws {@link InputError}. */
function writeAll(folder: string, { gateways }: RenderAnswer, { stdout, cwd }: Io): void {
  const written = writeFolder(folder, renderFolders(gateways), cwd)
  if ('problem' in written) throw new InputError(escapeUnsafe(`${written.problem.file}: ${written.problem.reason}`))
  for (const file of written.files) stdout.write(`${escapeUnsafe(file)}\n`)
}

function sayNotes({ gateways, notes }: RenderAnswer, { stderr }: Io): void {
  for (const note of [...notes, ...gateways.flatMap(loopNotes)]) stderr.write(`note: ${escapeUnsafe(note)}\n`)
}

/** A backend without an address is looked for on this machine, where nginx itself may listen. */
const loopNotes = ({ loops }: RenderedGateway): readonly string[] =>
  loops.map((backend) => {
    const port = backend.slice(backend.lastIndexOf(':') + 1)
    return `${backend} would be this nginx itself, at 127.0.0.1:${port}; give its address with --upstream`
  })
