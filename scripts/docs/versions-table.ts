/** The tables of docs/versions.md, from what the tests run with and what the systems read. */
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { KUBERNETES_VERSIONS } from '../kube-apiserver.ts'
import { NGINX_VERSIONS } from '../provide.ts'

const START = '<!-- versions: made by `npm run docs` from what the tests run with -->\n'
const END = '<!-- end of versions -->'

/** What decides which versions of Node are supported: package.json. */
export type Manifest = {
  readonly engines: { readonly node: string }
  readonly devDependencies: { readonly node: string }
}

/** The first version of a line of releases: `1.30` of `1.30.14`. */
export const lineOf = (version: string): string => version.split('.').slice(0, 2).join('.')

/** Replaces the tables between the marks on a page. Throws where the marks are missing. */
export function withVersions(page: string, { engines, devDependencies }: Manifest): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('docs/versions.md has lost the marks of its tables')
  const { oldest, newest } = KUBERNETES_VERSIONS
  const rows = [
    ['Kubernetes, for the webhook', `${lineOf(oldest)} and newer`, `${oldest}, ${newest}`, '`test/cluster/`'],
    [
      'nginx, whose behaviour the rules know',
      `${lineOf(NGINX_VERSIONS.oldest)} to ${lineOf(NGINX_VERSIONS.newest)}`,
      `${NGINX_VERSIONS.oldest}, ${NGINX_VERSIONS.newest}`,
      '`test/nginx/`',
    ],
    [
      'Node, for the command and the library',
      `${engines.node.replace('>=', '')} and newer`,
      `20, ${devDependencies.node}`,
      '`.ci/run`, `test/packing/`',
    ],
  ]
  const kinds = kindTable(SYSTEMS, apiNames()).kinds.flatMap(({ group, resource }) => {
    if (!resource) return []
    const { plural, version, optional } = resource
    return [[`\`${plural}\``, `\`${group === '' ? '' : `${group}/`}${version}\``, optional ? 'no' : 'yes']]
  })
  const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
    [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  const text = [
    table(['what', 'supported', 'tested with', 'by'], rows),
    table(['kind', 'version that is read', 'needed in a cluster'], kinds),
  ].join('\n')
  return page.slice(0, start + START.length) + text + page.slice(end)
}
