/** A policy in the files that the product writes for it: as literally, and under names as long. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LimitView, PolicyView } from '../../src/gateway/policy.ts'
import { zoneName } from '../../src/limits/zone.ts'
import { limitParameters } from '../../src/nginx/refusals.ts'

/** Variables that the product's own configuration defines. */
const OF_THE_GATEWAY = `map $host $gw_api_compliant_host { default $host; }
map $http_upgrade $connection_upgrade { default upgrade; '' close; }
map $http_upgrade $connection_keepalive { default upgrade; '' ''; }
map $request_uri $request_uri_path { ~^(?P<path>[^?]*) $path; }`

/** What a configuration has to hold of a policy, by context. */
export type WrittenPolicy = {
  readonly http: string
  readonly location: string
  remove(): void
}

/** Writes the two files of a policy into a folder. */
export function writePolicy(policy: PolicyView, folder: string): WrittenPolicy {
  const { namespace = 'default', name = 'generated' } = policy.identity
  const isOnGateway = policy.targets.some(({ kind }) => kind.value === 'Gateway')
  const stem = `RateLimitPolicy_${isOnGateway ? 'Gateway' : 'Routes'}_${namespace}_${name}`
  const [zones, limits] = [join(folder, `${stem}_zones.conf`), join(folder, `${stem}_limits.conf`)]
  const named = policy.limits.map((limit) => ({ limit, zone: zoneName(namespace, name, limit.index) }))
  const written = [
    ...write(
      zones,
      named.map(({ limit, zone }) => zoneLine(limit, zone)),
    ),
    ...write(limits, [...settings(policy), ...named.map(({ limit, zone }) => limitLine(limit, zone))]),
  ]
  return {
    http: `${OF_THE_GATEWAY}\ninclude ${zones};\n${isOnGateway ? `include ${limits};` : ''}`,
    location: isOnGateway ? '' : `include ${limits};`,
    remove() {
      for (const file of written) rmSync(file)
    },
  }
}

/** Writes a file; where the file system refuses its name, nginx will say so itself when it includes it. */
function write(path: string, lines: readonly string[]): readonly string[] {
  try {
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
    return [path]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENAMETOOLONG') return []
    throw error
  }
}

const zoneLine = ({ key, rate, zoneSize }: LimitView, zone: string): string =>
  `limit_req_zone ${key.raw} zone=${zone}:${zoneSize.raw ?? '10m'} rate=${rate.raw};`

const limitLine = ({ burst, delay, noDelay }: LimitView, zone: string): string =>
  `limit_req ${[`zone=${zone}`, ...limitParameters({ burst: burst.value, delay: delay.value, noDelay: noDelay.value })].join(' ')};`

function settings({ dryRun, logLevel, rejectCode }: PolicyView): readonly string[] {
  return [
    dryRun.value ? ['limit_req_dry_run on;'] : [],
    logLevel.value === undefined ? [] : [`limit_req_log_level ${logLevel.value};`],
    rejectCode.value === undefined ? [] : [`limit_req_status ${rejectCode.value};`],
  ].flat()
}
