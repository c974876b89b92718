/** `npm run docs`: writes every page, picture and manifest that is made from the program. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { makePages } from './docs/pages.ts'

for (const { path, text } of await makePages()) {
  const file = new URL(`../${path}`, import.meta.url)
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, text)
  console.log(path)
}
