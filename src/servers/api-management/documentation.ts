/** The OpenAPI document, and a page of it that needs nothing from elsewhere. */
import type { Router } from 'express'
import { sendJson } from '../../http/http-error.ts'
import { openApiDocument } from './openapi/document.ts'
import { documentPage } from './openapi/page.ts'

/** The page has its style in itself, and no script. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Adds `/openapi.json` and `/docs`. */
export function addDocumentation(api: Router, options: { readonly version: string; readonly basePath: string }): void {
  const document = JSON.stringify(openApiDocument(options))
  const page = documentPage(options)
  api.get('/openapi.json', (_request, response) => sendJson(response, 200, document))
  api.get('/docs', (_request, response) => {
    response.setHeader('content-security-policy', POLICY)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page)
  })
}
