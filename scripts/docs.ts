/** `npm run docs`: writes the generated pages, pictures and manifests that have changed, and prints their paths. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { makePages } from './docs/pages.ts'

const pages = await makePages()
let changed = 0
for (const { path, text } of pages) {
  const file = new URL(`../${path}`, import.meta.url)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, text)
  changed += 1
  console.log(path)
}
console.log(`${changed} of ${pages.length} files changed`)
