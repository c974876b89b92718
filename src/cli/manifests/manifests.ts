/** `sluice manifests`. */

import { installation } from '../../installation/installation.ts'
import { COMPONENTS, type ComponentName, NAMES } from '../../installation/object.ts'
import { nearest } from '../../text/nearest.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { type Command, command } from '../core/command.ts'
import { readNamespace } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { VERSION } from '../version/version.ts'

const NAMES_OF_OVERLAYS = Object.keys(COMPONENTS)

const widest = Math.max(...NAMES_OF_OVERLAYS.map((name) => name.length))

export const manifestsCommand: Command = command({
  name: 'manifests',
  summary: 'print the manifests that install the admission webhook',
  usage: '[flags]',
  details: `Overlays change the base, and combine:
${Object.entries(COMPONENTS)
  .map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  .join('\n')}`,
  flags: {
    overlay: { value: 'NAME', summary: 'one of the overlays; repeatable' },
    namespace: { short: 'n', value: 'NS', summary: `where to install; default: ${NAMES.namespace}` },
    image: { value: 'IMAGE', summary: `the container image; default: sluice:${VERSION}` },
  },
  examples: [
    { line: 'sluice manifests | kubectl apply --server-side -f -', does: 'install' },
    { line: 'sluice manifests --overlay cert-manager --overlay fail-closed', does: 'two overlays together' },
    { line: 'sluice manifests --image example.org/sluice:1', does: 'an image of your own' },
  ],
  run: (io, given) => {
    const [surplus] = given.positionals
    if (surplus !== undefined) throw new InputError(`"sluice manifests" takes flags only; got "${surplus}"`)
    const objects = installation({
      namespace: readNamespace(given.value('namespace')) ?? NAMES.namespace,
      image: given.value('image') ?? `sluice:${VERSION}`,
      components: new Set(given.values('overlay').map(readOverlay)),
    })
    io.stdout.write(writeDocuments(objects))
    io.onWork?.()
    return EXIT.clean
  },
})

function readOverlay(name: string): ComponentName {
  if (isOverlay(name)) return name
  const meant = nearest(name, NAMES_OF_OVERLAYS)
  const hint = meant === undefined ? NAMES_OF_OVERLAYS.join(', ') : `did you mean ${meant}?`
  throw new InputError(`there is no overlay "${name}"; ${meant === undefined ? 'there are ' : ''}${hint}`)
}

const isOverlay = (name: string): name is ComponentName => Object.hasOwn(COMPONENTS, name)
