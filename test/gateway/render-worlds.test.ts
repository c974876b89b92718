/** Everything that is rendered of some worlds, to the letter. `npm run fixtures` writes the texts again; read the diff. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { expectedFile, printRendering, readWorlds, renderWorld } from '../render-worlds.ts'

const record = process.env.SLUICE_RECORD === '1'

it.each(readWorlds())('rendering $name gives the recorded text', (world) => {
  const renderings = world.wishes.map((wish) => {
    const asked = JSON.stringify(wish)
    return `######## ${asked}\n${printRendering(renderWorld(world, wish))}`
  })
  const printed = renderings.join('\n')
  const expected = expectedFile(world)
  if (record) writeFileSync(expected, printed)
  expect(existsSync(expected), `${expected} is missing: npm run fixtures`).toBe(true)
  expect(printed).toBe(readFileSync(expected, 'utf8'))
})
