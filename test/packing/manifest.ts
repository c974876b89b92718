/** The project's package.json, as far as tests ask for it. */
import { readFileSync } from 'node:fs'

type Packages = Readonly<Record<string, string>>

export const readManifest = (): { readonly dependencies: Packages; readonly devDependencies: Packages } =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
