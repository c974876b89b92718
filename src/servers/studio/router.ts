/** The page over HTTP: its address, the one of the playground, and the files that it loads. Everything else is not here. */
import { type Express, type Request, type RequestHandler, type Response, Router } from 'express'
import { addRoutes, asHttpError, createApp, endRoutes } from '../../http/app.ts'
import { HttpError, sendProblem } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
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
  const sendPage: RequestHandler = (request, response) => {
    // Without the slash, what the page loads would be looked for one folder above.
    if (request.originalUrl.split('?', 1)[0] === request.baseUrl) return response.redirect(308, `${request.baseUrl}/`)
    response.setHeader('content-security-policy', POLICY)
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    response.setHeader('referrer-policy', 'no-referrer')
    response.setHeader('cache-control', 'no-cache')
    sendAsset(request, response, page)
  }
  const sendFile: RequestHandler = (request, response) => {
    const asset = files.get(String(request.params.file))
    if (!asset) throw new HttpError(404, 'the page has no such file; load the page again')
    // The name of each file but the icon has a digest of what is in it.
    response.setHeader(
      'cache-control',
      asset.type.startsWith('image/') ? 'no-cache' : 'public, max-age=31536000, immutable',
    )
    sendAsset(request, response, asset)
  }
  addRoutes(router, [
    { method: 'get', path: '/', handlers: [sendPage] },
    { method: 'get', path: '/playground', handlers: [sendPage] },
    { method: 'get', path: '/assets/:file', handlers: [sendFile] },
  ])
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
export function createStudioApp(assets: Assets, log: Pick<Log, 'error'>): Express {
  const app = createApp()
  app.use(createStudioRouter(assets))
  return endRoutes(app, {
    notFound: ({ path }) => `there is nothing at ${path.slice(0, 200)}`,
    fail(error, _request, response) {
      const problem = asHttpError(error)
      if (problem.status === 500) log.error({ error }, 'a request failed')
      sendProblem(response, problem)
    },
  })
}
