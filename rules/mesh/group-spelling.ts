import { hasMisspelling, misspeltGroup, respelt } from '../../src/mesh/objects/spelling.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshRole } from './examples.ts'

/** The API group of the mesh begins with the product, not with the vendor. */
export default rule({
  id: 'mesh/group-spelling',
  severity: 'error',
  since: '0.2',
  judges: ['ClusterRole', 'Role', 'APIService', 'ConfigMap'],
  reads: ['names'],
  fix: 'safe',
  summary: 'The API group of the mesh is nsm.nginx.com.',
  why: 'No API has the group nginx.nsm.com. A role of it grants nothing, an APIService of it is never asked, and a URL with it answers 404.',
  remedy: 'Write "nsm.nginx.com".',
  source: 'specification of the mesh management API, group names',
  messages: {
    name: { text: '"{written}" does not name the API group of the mesh', remedy: 'Write "{meant}".' },
    inside: {
      text: 'this text names "{wrong}", which is not the API group of the mesh',
      remedy: 'Replace "{wrong}" by "{right}" in it.',
    },
  },
  examples: () => ({
    bad: meshRole({ rules: ['{ apiGroups: [nginx.nsm.com], resources: [config], verbs: [list] }'] }),
    good: meshRole({ rules: ['{ apiGroups: [nsm.nginx.com], resources: [config], verbs: [list] }'] }),
  }),
  check(view, { names, report }) {
    for (const { pointer, text } of textsOf(view)) {
      if (!hasMisspelling(text, names)) continue
      const meant = respelt(text, names)
      const patch = [{ op: 'replace', path: pointer, value: meant }] as const
      if (pointer.startsWith('/data/'))
        report('inside', pointer, { wrong: misspeltGroup(names), right: names.meshGroup }, patch)
      else report('name', pointer, { written: text, meant }, patch)
    }
  },
})

type View = Parameters<Parameters<typeof rule<'ClusterRole' | 'APIService' | 'ConfigMap', string>>[0]['check']>[0]
type Text = { readonly pointer: string; readonly text: string }

/** Every text of an object that may name the group. */
function textsOf(view: View): readonly Text[] {
  if ('texts' in view) return view.texts
  if ('rules' in view)
    return view.rules.flatMap(({ groups, paths }) =>
      [...groups, ...paths].map(({ pointer, value }) => ({ pointer, text: value })),
    )
  return [view.name, view.group].flatMap(({ pointer, value }) =>
    value === undefined ? [] : [{ pointer, text: value }],
  )
}
