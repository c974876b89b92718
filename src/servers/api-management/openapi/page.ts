/** The OpenAPI document over HTTP: as JSON, and as a page for people that needs nothing from elsewhere. */

import type { ServerResponse } from 'node:http'
import { sendJson } from '../../../http/http-error.ts'
import { openApiDocument } from './document.ts'
import type { Operation } from './operation.ts'
import { DESCRIBED, type DirectId } from './operations.ts'
import { SCHEMAS } from './schemas.ts'

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const html = (text: unknown): string => String(text).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '')

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
  code, pre { font-family: ui-monospace, monospace; font-size: .9em }
  pre { overflow-x: auto; border: 1px solid #8884; border-radius: .3rem; padding: .6rem }
  table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0 }
  h2 { margin-top: 2.5rem } h2 b { text-transform: uppercase }
`

const schemaLink = (name: string): string => `<a href="#${html(name)}"><code>${html(name)}</code></a>`

function section({ id, method, path, summary, parameters, body: sent, success, problems }: Operation): string {
  const body = method === 'patch' ? ['MergePatch', 'JsonPatch'] : sent
  const rows = parameters.map(
    (one) => `<tr><td><code>${html(one.name)}</code></td><td>${one.in}</td><td>${html(one.description)}</td></tr>`,
  )
  const responses = Object.entries(success).map(
    ([status, { description, schema }]) =>
      `<tr><td>${status}</td><td>${html(description)}${schema ? ` ${schemaLink(schema)}` : ''}</td></tr>`,
  )
  return `<section id="${html(id)}"><h2><b>${method}</b> <code>${html(path)}</code></h2><p>${html(summary)}.</p>
${body.length > 0 ? `<p>Body: ${body.map(schemaLink).join(' or ')}</p>` : ''}
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}
<table>${responses.join('')}</table>
${problems.length > 0 ? `<p>Problems: ${problems.join(', ')} ${schemaLink('Problem')}</p>` : ''}</section>`
}

/** Renders the page. */
function documentPage({ version, basePath }: { readonly version: string; readonly basePath: string }): string {
  const list = DESCRIBED.map(
    ({ id, method, path }) => `<li><a href="#${html(id)}"><code>${method.toUpperCase()} ${html(path)}</code></a></li>`,
  )
  const schemas = Object.entries(SCHEMAS).map(
    ([name, schema]) =>
      `<h3 id="${html(name)}">${html(name)}</h3><pre>${html(JSON.stringify(schema, undefined, 2))}</pre>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Management API</title><style>${STYLE}</style></head>
<body><h1>Management API</h1>
<p>sluice ${html(version)}. Every path begins with <code>${html(basePath === '' ? '/' : basePath)}</code>.
The same as <a href="openapi.json">OpenAPI 3.1</a>.</p>
<ul>${list.join('')}</ul>
${DESCRIBED.map(section).join('\n')}
<h2>Schemas</h2>${schemas.join('\n')}
</body></html>
`
}

/** The page has its style in itself, and no script. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type Sender = (request: unknown, response: ServerResponse) => void

/** Creates what sends both; their texts are written once. */
export function createDocumentation(options: { readonly version: string; readonly basePath: string }) {
  const document = JSON.stringify(openApiDocument(options))
  const page = documentPage(options)
  return {
    readOpenApi: (_request, response) => sendJson(response, 200, document),
    readDocumentation(_request, response) {
      response.setHeader('content-security-policy', POLICY)
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(page)
    },
  } satisfies Readonly<Partial<Record<DirectId, Sender>>>
}
