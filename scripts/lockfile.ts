/** package-lock.json: what npm installs, and where. */

/** A package at its path, such as `node_modules/a/node_modules/b`; the project itself is at the path ``. */
export type LockedPackage = {
  readonly version: string
  /** An SPDX expression, or a name. */
  readonly license?: string
  /** As in subresource integrity: `sha512-` and base64. */
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  /** True where only development needs it. */
  readonly dev?: boolean
}

export type Lockfile = { readonly packages: Readonly<Record<string, LockedPackage>> }

/** The name of the package at a path. */
export const nameOf = (path: string): string => path.replace(/^(?:.*\/)?node_modules\//, '')

/** The paths of the packages that are installed without development dependencies. */
export const productionPackages = ({ packages }: Lockfile): readonly string[] =>
  Object.entries(packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]))

/** The path of the package that another one gets under a name: the nearest one, as Node looks for it. */
export function resolveDependency({ packages }: Lockfile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}
