/** `npm run docs`: writes every page and picture that is made from the program. */
import { writeFileSync } from 'node:fs'
import { makePages } from './docs/pages.ts'

for (const { path, text } of await makePages()) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
  console.log(path)
}
