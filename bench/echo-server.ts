/**
 * The least that a webhook can do: reads a review, parses it, lets it through; responses of one turn are sent together, as
 * ours are. The first line tells the port.
 */
import { createServer } from 'node:https'
import { createAuthority, issueServing } from '../src/http/authority.ts'
import { listen } from '../src/http/listen.ts'
import { endOfTurn } from '../src/http/turn.ts'

const DAY = 86_400_000
const validity = { from: Date.now() - DAY, until: Date.now() + DAY }
const material = await issueServing(await createAuthority('bench', validity), ['localhost'], validity)

const server = createServer(material, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } })
    await endOfTurn()
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
    response.end(text)
  })
})
console.log(JSON.stringify({ port: await listen(server, { host: '127.0.0.1', port: 0 }) }))
