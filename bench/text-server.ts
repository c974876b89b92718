/** The least that an API can do over TLS: the same text for each request, of the size of a mesh's configuration. */
import { createServer } from 'node:https'
import { createAuthority, issueServing } from '../src/http/authority.ts'
import { listen } from '../src/http/listen.ts'
import { apiNames } from '../src/kubernetes/api-groups.ts'
import { initialConfig } from '../src/mesh/config.ts'

const DAY = 86_400_000
const validity = { from: Date.now() - DAY, until: Date.now() + DAY }
const material = await issueServing(await createAuthority('bench', validity), ['localhost'], validity)
const text = JSON.stringify(initialConfig(apiNames()))

const server = createServer(material, (request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
console.log(JSON.stringify({ port: await listen(server, { host: '127.0.0.1', port: 0 }) }))
