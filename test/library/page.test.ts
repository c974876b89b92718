/** The examples of docs/library.md run with the built library, and print what the page shows. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { libraryPage } from '../../scripts/docs/library-page.ts'
import * as library from '../../src/browser.ts'

const page = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8')

it('shows what its program prints (npm run docs)', () => expect(libraryPage(page)).toBe(page))

it('names every function', () => expect(Object.keys(library).filter((name) => !page.includes(`\`${name}`))).toEqual([]))
