/** `sluice try`. */
import { type Command, command } from '../core/command.ts'
import { FLAGS } from './flags.ts'
import { runTry } from './run.ts'

/** `sluice try`. */
export const tryCommand: Command = command({
  name: 'try',
  summary: 'enforce the policies with a real nginx on this machine',
  usage: '[paths…] [flags]',
  details: `Starts an nginx for each Gateway in these files, on ports of this machine above
1023, in front of an upstream that answers every HTTP and gRPC request. Paths
are the same as for lint, and nothing exists besides them. It prints where the
listeners answer, and then what happens: findings, conditions of policies and
targets, what the API server or nginx refuses, and each delayed or rejected
request.

The files are watched. A policy that nginx refuses keeps what was accepted of it
last, and everything else comes into force; with --whole the whole new version
is refused, as the specification has it. What the API server would reject is not
applied.

With --load it sends requests, shows their outcome beside what simulate says of
the same traffic, and ends. Ctrl-C ends it: no process and no file is left.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice try examples/shop', does: 'the shop on this machine' },
    { line: 'sluice try k8s --upstream http://127.0.0.1:3000', does: 'in front of your own service' },
    { line: 'sluice try k8s --gateway shop/storefront --port 8080', does: 'one Gateway on a port of your choice' },
    { line: 'sluice try k8s --load 20r/s --clients 5 --for 30s', does: 'traffic, and what simulate says of it' },
    { line: 'sluice try k8s --format json | jq .', does: 'an event on each line' },
    { line: 'sluice try k8s --nginx-bin /opt/nginx/sbin/nginx --whole', does: 'as the specification has it' },
  ],
  run: runTry,
})
