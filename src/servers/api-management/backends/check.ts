/** Which hosts a proxy may pass requests to: so that no editor reaches what only the machine of the server reaches. */
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { planOf } from '../../../api-management/render/plan.ts'
import { HttpError } from '../../../http/http-error.ts'
import type { JsonObject } from '../../../json/member.ts'
import type { Store } from '../../../store/store.ts'
import type { Principal } from '../access/access.ts'
import type { Remark } from '../judge.ts'
import { addressesIn, type Entry, type HostKind, holds, kindOf, readEntry, readRange } from './addresses.ts'

/** What the server knows of its machine. */
export type Network = {
  /** True where the server can be reached from its own machine alone: then loopback is a backend like any other. */
  readonly isLoopbackOnly: boolean
  /** The ports on which the server and its nginx listen. */
  ports(): readonly number[]
  /** The addresses of a name: none where it has none, or none can be found out. */
  addressesOf(name: string): Promise<readonly string[]>
}

/** Milliseconds that a name server may take: nginx will not find a backend that nobody finds. */
const PATIENCE = 2_000

/** Asks the resolver of the machine, as nginx does. */
export async function resolve(name: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly string[]>((done) => {
    timer = setTimeout(() => done([]), PATIENCE)
  })
  const found = lookup(name, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  )
  return await Promise.race([found, late]).finally(() => clearTimeout(timer))
}

/** A body that is to be stored. */
type Checked = {
  readonly workspace: string
  readonly body: JsonObject
  /** What it replaces: its targets were accepted before. */
  readonly before: JsonObject | undefined
  readonly principal: Principal
}

type Target = { readonly host: string; readonly port: number; readonly pointer: string }

/** Throws 403 where a proxy would pass requests to a host that it may not reach. */
export async function checkBackends(store: Store, network: Network, checked: Checked): Promise<void> {
  const { workspace, body, before, principal } = checked
  const known = new Set(before ? targetsIn(before).map(keyOf) : [])
  const targets = targetsIn(body).filter((target) => !known.has(keyOf(target)))
  if (targets.length === 0) return
  const allowed = await store.allowedBackends(workspace)
  const entries = allowed?.flatMap((text) => readEntry(text) ?? [])
  const rule = { network, entries: entries ?? [], isListed: entries !== undefined && !principal.isAdministrator }
  const problems = await Promise.all(targets.map((target) => problemOf(target, rule)))
  const errors = targets.flatMap((target, index): readonly Remark[] => {
    const problem = problems[index]
    if (problem === undefined) return []
    const remedy = problem === OWN ? 'Write the host and the port of a service.' : remedyFor(workspace)
    return [{ rule: 'backends', pointer: target.pointer, message: `${printTarget(target)} ${problem}`, remedy }]
  })
  const [first, another] = errors
  if (!first) return
  throw new HttpError(403, another ? `${errors.length} backends are not allowed` : first.message, {
    extensions: { errors },
  })
}

const remedyFor = (workspace: string): string =>
  `Write another host, or ask an administrator to allow it: PUT /services/workspaces/${workspace}/backends.`

const printTarget = ({ host, port }: Target): string => `the backend ${host}:${port}`
const keyOf = ({ host, port }: Target): string => `${host}:${port}`

const targetsIn = (body: JsonObject): readonly Target[] =>
  planOf(body).plan.backends.flatMap(({ targets }, index) =>
    targets.map(({ host, port }, position) => ({
      ...{ host, port },
      pointer: `/proxyConfig/backends/${index}/serviceTargets/${position}/hostname`,
    })),
  )

type Rule = { readonly network: Network; readonly entries: readonly Entry[]; readonly isListed: boolean }

const OWN = 'is this server itself'

const KINDS: Readonly<Record<HostKind, string>> = {
  loopback: 'is an address of this machine, which only an administrator allows',
  'link-local': 'is a link-local address, which only an administrator allows',
  metadata: 'is a metadata address, which only an administrator allows',
}

/** What is wrong with a target, in words that follow it. What a name leads to is not told. */
async function problemOf({ host, port }: Target, { network, entries, isListed }: Rule): Promise<string | undefined> {
  const written = addressesIn(host)
  const addresses = written.length > 0 ? written : await network.addressesOf(host)
  if (network.ports().includes(port) && addresses.some(isOfThisMachine)) return OWN
  const here = entries.filter((entry) => entry.port === undefined || entry.port === port)
  if (here.some(({ name }) => name === host)) return undefined
  const isIn = (address: string) => here.some(({ range }) => range && holds(range, address))
  const kinds = addresses.filter((address) => !isIn(address)).flatMap((address) => kindOf(address) ?? [])
  const kind = kinds.find((one) => one !== 'loopback' || !network.isLoopbackOnly)
  if (kind !== undefined) return KINDS[kind]
  const isCovered = here.some(({ name }) => name === '*' || (name?.startsWith('*.') && host.endsWith(name.slice(1))))
  const isWithin = addresses.length > 0 && addresses.every(isIn)
  return !isListed || isCovered || isWithin ? undefined : 'is not among those that this workspace may use'
}

function isOfThisMachine(address: string): boolean {
  if (kindOf(address) === 'loopback') return true
  const ranges = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap((one) => readRange(one.address) ?? []),
  )
  return ranges.some((range) => holds(range, address))
}
