/** `npm run docs`: writes the generated pages, pictures and manifests that have changed, and prints their paths. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { makePages } from './docs/pages.ts'

for (const { path, text } of await makePages()) {
  const file = new URL(`../${path}`, import.meta.url)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, text)
  console.log(path)
}
