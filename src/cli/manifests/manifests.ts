/** `sluice manifests`. */

import { RULES } from '../../../rules/index.ts'
import { installation } from '../../installation/installation.ts'
import { COMPONENTS, type ComponentName, NAMES } from '../../installation/object.ts'
import { nearest } from '../../text/nearest.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { type Command, command } from '../core/command.ts'
import { readNamespace } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { loadProject } from '../core/project.ts'
import { VERSION } from '../version/version.ts'

const OVERLAYS = Object.keys(COMPONENTS)

const widest = Math.max(...OVERLAYS.map((name) => name.length))

/** `sluice manifests`. */
export const manifestsCommand: Command = command({
  name: 'manifests',
  summary: 'print the manifests that install the admission webhook',
  usage: '[flags]',
  details: `Overlays change the base manifests, and can be combined:
${Object.entries(COMPONENTS)
  .map(([name, does]) => `  ${name.padEnd(widest)}  ${does}`)
  .join('\n')}`,
  flags: {
    overlay: { value: 'NAME', summary: 'apply an overlay; may be repeated' },
    namespace: { short: 'n', value: 'NS', summary: `the namespace to install into; default: ${NAMES.namespace}` },
    config: {
      value: 'FILE',
      summary: 'settings with the apiGroups; default: sluice.config.yaml here or in a parent folder',
    },
    image: { value: 'IMAGE', summary: `the container image; default: sluice:${VERSION}` },
  },
  examples: [
    { line: 'sluice manifests | kubectl apply --server-side -f -', does: 'install' },
    { line: 'sluice manifests --overlay cert-manager --overlay fail-closed', does: 'with two overlays' },
    { line: 'sluice manifests --image example.org/sluice:1', does: 'your own container image' },
  ],
  run: async (io, args) => {
    const [surplus] = args.positionals
    if (surplus !== undefined) throw new InputError(`"sluice manifests" takes flags only; got "${surplus}"`)
    const ids = RULES.map(({ id }) => id)
    const { settings } = await loadProject(io, { named: args.value('config'), ruleIds: ids, readsFiles: false })
    const objects = installation({
      apiGroups: settings.apiGroups,
      namespace: readNamespace(args.value('namespace')) ?? NAMES.namespace,
      image: args.value('image') ?? `sluice:${VERSION}`,
      components: new Set(args.values('overlay').map(readOverlay)),
    })
    io.stdout.write(writeDocuments(objects))
    io.onWork?.()
    return EXIT.clean
  },
})

function readOverlay(name: string): ComponentName {
  if (isOverlay(name)) return name
  const meant = nearest(name, OVERLAYS)
  const hint = meant === undefined ? `the overlays are ${OVERLAYS.join(', ')}` : `did you mean ${meant}?`
  throw new InputError(`unknown overlay "${name}"; ${hint}`)
}

const isOverlay = (name: string): name is ComponentName => Object.hasOwn(COMPONENTS, name)
