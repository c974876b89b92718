/** The floor for whoever looks at a folder: reads every file in it and does nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

let characters = 0
for (const entry of readdirSync(process.argv[2], { recursive: true, withFileTypes: true }))
  if (entry.isFile()) characters += readFileSync(join(entry.parentPath, entry.name), 'utf8').length
console.log(characters)
