/** Builds `dist/studio/`: the page with its parts, each of which a browser loads when it is shown, and compressed copies. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { load } from 'js-yaml'

const FOLDER = 'dist/studio'

/** The schema of a RateLimitPolicy, for what the editor says of its fields. */
const policySchema = () =>
  load(readFileSync('schemas/ratelimitpolicy.crd.yaml', 'utf8')).spec.versions[0].schema.openAPIV3Schema

/** Files that are worth compressing. */
const TEXT = /\.(?:html|js|css|svg)$/

const PAGE = {
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  // The oldest browsers with light-dark(): Chrome 123, Firefox 120, Safari 17.5.
  target: ['chrome123', 'firefox120', 'safari17.5'],
  outdir: `${FOLDER}/assets`,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
}

/** Bundles the page. Returns the results of esbuild, in which the packages are. */
export async function bundleStudio() {
  const worker = await build({ ...PAGE, entryPoints: { worker: 'src/studio/library/worker.ts' } })
  const [workerFile = ''] = Object.keys(worker.metafile.outputs).filter((file) => /\/worker-\w+\.js$/.test(file))
  const page = await build({
    ...PAGE,
    entryPoints: { main: 'src/studio/main.tsx' },
    define: {
      WORKER_FILE: JSON.stringify(`./${basename(workerFile)}`),
      POLICY_SCHEMA: JSON.stringify(policySchema()),
    },
  })
  const outputs = Object.keys(page.metafile.outputs).map((file) => basename(file))
  const nameOf = (pattern) => outputs.find((file) => pattern.test(file)) ?? ''
  mkdirSync(`${FOLDER}/assets`, { recursive: true })
  copyFileSync('src/studio/icon.svg', `${FOLDER}/assets/icon.svg`)
  const html = readFileSync('src/studio/index.html', 'utf8')
    .replace('main.css', nameOf(/^main-\w+\.css$/))
    .replace('main.js', nameOf(/^main-\w+\.js$/))
  const { outputs: modules } = page.metafile
  const pageWith = (view) => html.replace('</head>', `${preloads(modules, ['main', view])}</head>`)
  writeFileSync(`${FOLDER}/index.html`, pageWith('playground'))
  // The same page, where its server has the management API.
  writeFileSync(`${FOLDER}/management.html`, pageWith('management').replace('<body>', '<body data-api>'))
  for (const file of readdirSync(FOLDER, { recursive: true })) if (TEXT.test(file)) compress(join(FOLDER, file))
  return [worker, page]
}

/** What a view needs, named in the page, so that a browser need not find it one file after the other. */
function preloads(modules, names) {
  const found = new Set()
  const add = (file) => {
    if (found.has(file)) return
    found.add(file)
    for (const { path, kind } of modules[file].imports) if (kind === 'import-statement') add(path)
  }
  for (const file of Object.keys(modules))
    if (names.some((name) => basename(file).startsWith(`${name}-`)) && file.endsWith('.js')) add(file)
  return [...found].map((file) => `<link rel="modulepreload" href="assets/${basename(file)}">\n`).join('')
}

/** Writes the copies that a server sends to browsers which can read them. */
function compress(file) {
  const bytes = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
