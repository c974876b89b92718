/** The files of the page, as the build wrote them, in memory. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file of the page with its compressed copies. */
export type Asset = {
  readonly type: string
  readonly etag: string
  readonly bytes: Buffer
  /** By the name of the content coding, the smallest first. */
  readonly compressed: ReadonlyMap<'br' | 'gzip', Buffer>
}

/** The page, and what it loads by the name of the file. */
export type Assets = { readonly page: Asset; readonly files: ReadonlyMap<string, Asset> }

/** The page of the studio alone, or with the views of the management API. */
export type PageName = 'index' | 'management'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads the folder `studio` of the build. Throws errors of the file system. */
export function readAssets(folder: string, name: PageName): Assets {
  const at = join(folder, 'assets')
  const names = readdirSync(at).filter((name) => extname(name) in TYPES)
  return {
    page: readAsset(join(folder, `${name}.html`)),
    files: new Map(names.map((name) => [name, readAsset(join(at, name))])),
  }
}

function readAsset(file: string): Asset {
  const bytes = readFileSync(file)
  return {
    type: TYPES[extname(file)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    bytes,
    compressed: new Map([
      ['br', readFileSync(`${file}.br`)],
      ['gzip', readFileSync(`${file}.gz`)],
    ]),
  }
}
