/** The page over HTTP: its address, the one of the playground, and the files that it loads. Everything else is not here. */
import express, { type ErrorRequestHandler, type Express, type Request, type Response, Router } from 'express'
import { HttpError, sendProblem } from '../../http/http-error.ts'
import { onlyMethods } from '../../http/only-methods.ts'
import type { Asset, Assets } from './assets.ts'

/**
 * What the page may load: its own files. Nothing inline, nothing from elsewhere, no frame around it. The editor makes style
 * sheets by calls, which needs no exception.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types sluice-worker',
].join('; ')

/** Adds the page to an app. Mount it where the page is: all of its addresses are relative. */
export function createStudioRouter({ page, files }: Assets): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.get(['/', '/playground'], (request, response) => {
    // Without the slash, what the page loads would be looked for one folder above.
    if (request.originalUrl.split('?', 1)[0] === request.baseUrl) return response.redirect(308, `${request.baseUrl}/`)
    response.setHeader('content-security-policy', POLICY)
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    response.setHeader('referrer-policy', 'no-referrer')
    response.setHeader('cache-control', 'no-cache')
    sendAsset(request, response, page)
  })
  router.get('/assets/:file', (request, response) => {
    const asset = files.get(request.params.file)
    if (!asset) throw new HttpError(404, 'the page has no such file; load the page again')
    // The name of each file but the icon has a digest of what is in it.
    response.setHeader(
      'cache-control',
      asset.type.startsWith('image/') ? 'no-cache' : 'public, max-age=31536000, immutable',
    )
    sendAsset(request, response, asset)
  })
  router.all(['/', '/playground', '/assets/:file'], onlyMethods(['GET', 'HEAD']))
  return router
}

/** Each form has a tag of its own (RFC 9110, 8.8.3). */
function sendAsset(request: Request, response: Response, { type, etag, bytes, compressed }: Asset): void {
  const coding = request.acceptsEncodings('br', 'gzip', 'identity')
  const body = coding === 'br' || coding === 'gzip' ? compressed.get(coding) : undefined
  response.setHeader('content-type', type)
  response.setHeader('vary', 'accept-encoding')
  response.setHeader('etag', body ? etag.replace(/"$/, `-${coding}"`) : etag)
  response.setHeader('x-content-type-options', 'nosniff')
  if (request.fresh) {
    response.writeHead(304)
    response.end()
    return
  }
  if (body) response.setHeader('content-encoding', String(coding))
  response.setHeader('content-length', (body ?? bytes).length)
  response.end(body ?? bytes)
}

/** The page as a server of its own, without an API. */
export function createStudioApp(assets: Assets): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(createStudioRouter(assets))
  app.use((request) => {
    throw new HttpError(404, `there is nothing at ${request.path.slice(0, 200)}`)
  })
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) =>
    sendProblem(response, error instanceof HttpError ? error : new HttpError(400, 'the request cannot be read'))
  app.use(onError)
  return app
}
