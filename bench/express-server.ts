/** The least that a management API can do: reads a proxy, answers as if it were stored. The first line tells the port. */
import { createServer } from 'node:http'
import express from 'express'
import { listen } from '../src/http/listen.ts'

const app = express()
app.use(express.json())
app.post('/services/workspaces/:workspace/proxies', (request, response) => {
  const { name } = request.body
  response.status(202).location(`/services/workspaces/${request.params.workspace}/proxies/${name}`)
  response.json({ ...request.body, version: 'v1', status: { state: 'CONFIGURING' } })
})
console.log(JSON.stringify({ port: await listen(createServer(app), { host: '127.0.0.1', port: 0 }) }))
