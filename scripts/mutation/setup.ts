/** Makes the tests of a mutant try the same random cases each time, and loads the folder before them. */
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import type { Draw } from './sample.ts'

fc.configureGlobal({ seed: 1 })

// A command loads its room when it needs it: what runs then would count as code of the first test that does so.
const { folder }: Draw = JSON.parse(process.env.SLUICE_MUTATION ?? '')
for (const file of globSync(`${folder}/**/*.ts`)) await import(resolve(file))
