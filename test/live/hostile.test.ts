/** Whatever is written in manifests, the configuration has nothing but the meant directives. */
import { expect, test } from 'vitest'
import { createApiServer } from '../../src/live/api-server.ts'
import { configurationFor } from '../../src/live/configuration.ts'
import { takeWorld } from '../../src/live/world.ts'
import { objectsOf } from '../../src/project/worlds.ts'
import { type ConfigurationFile, composeFiles } from '../../src/proxy/configuration.ts'
import { namedWorlds } from '../../src/queries/query-world.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { holdsFor } from '../support/holds.ts'
import { hostileManifests, MEANT, readDirectives } from './hostile.ts'

const OPTIONS = { settings: DEFAULT_SETTINGS, closedWorld: true }

/** The files of each Gateway, as `sluice try` gives them to the driver. */
function filesOf(text: string, nginxVersion = '1.31') {
  const [found] = namedWorlds([{ file: 'shop.json', text }], OPTIONS)
  if (!found) return []
  const { objects } = createApiServer().store(found.objects.collected, '2026-01-01T00:00:00Z')
  const [stored] = namedWorlds(
    objects.map((object) => ({ object })),
    OPTIONS,
  )
  if (!stored) return []
  const world = takeWorld(objectsOf(stored.objects.collected, { closed: true }), DEFAULT_SETTINGS)
  const site = {
    nginxVersion,
    address: '127.0.0.1',
    ports: new Map([
      [80, 18_080],
      [443, 18_443],
    ]),
    addresses: { get: () => '127.0.0.1:9' },
    certificates: undefined,
    socketDir: '/run/sluice',
  }
  return world.gateways.flatMap((gateway) => {
    const { wanted } = configurationFor(gateway, world, { site, inForce: undefined })
    return composeFiles(wanted, wanted.forms)
  })
}

/** The directives of the meant manifests, and those that other matches and missing parts have. */
const MEANT_NAMES = new Set([
  ...filesOf(MEANT)
    .flatMap(({ text }) => readDirectives(text) ?? [])
    .map(({ words: [name] }) => name),
  ...['default', 'map', 'return', 'error_page', 'internal', 'if', 'set', 'rewrite'],
  ...['ssl_reject_handshake', 'try_files'],
])

/** What a directive may be about that goes out of the configuration. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  listen: /^(?:127\.0\.0\.1:18(?:080|443)|"?unix:\/run\/sluice\/sluice-[\w-]+\.sock"?)$/,
  server: /^127\.0\.0\.1:9$/,
  include: /^(?:RateLimitPolicy_[\w.-]+\.conf|"RateLimitPolicy_[\w.-]+\.conf")$/,
  access_log: /^(?:access|hops)\.log$/,
  error_log: /^error\.log$/,
}

test('the reader of directives reads as nginx does', () => {
  expect(readDirectives('a "b;{" \'c\' d\\;e ${f};\n# g;\nh { i j; }')).toEqual([
    { words: ['a', '"b;{"', "'c'", 'd\\;e', '${f}'], depth: 0 },
    { words: ['h'], depth: 0 },
    { words: ['i', 'j'], depth: 1 },
  ])
  for (const bad of ['a', 'a;}', 'h { i;', ';', 'a "b;']) expect(readDirectives(bad)).toBeUndefined()
})

function checkFile({ name, text, part }: ConfigurationFile): void {
  const directives = readDirectives(text)
  // A key may have quotes that do not end: nginx then names the file of its policy.
  if (!directives) expect(part, `${name}:\n${text}`).toBeDefined()
  for (const { words } of directives ?? []) {
    const [directive = '', first = ''] = words
    const isServerBlock = directive === 'server' && first === ''
    if (!isServerBlock) expect(first, `${directive} in ${name}`).toMatch(ALLOWED[directive] ?? /^/)
    if (!isInMap(directive)) expect(MEANT_NAMES, `${name}:\n${text}`).toContain(directive)
  }
}

test.each(['1.22.1', '1.31'])('texts that would break out of the configuration (nginx %s)', (version) => {
  expect(filesOf(MEANT, version).length).toBe(7)
  holdsFor(100)(hostileManifests, (text) => {
    for (const file of filesOf(text, version)) checkFile(file)
  })
})

/** An entry of a map begins with its value. */
const isInMap = (directive: string): boolean => /^["~\d'*]/.test(directive)
