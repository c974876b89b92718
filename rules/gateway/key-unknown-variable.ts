import { rule } from '../../src/gateway/rule.ts'
import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { unknownVariables } from '../../src/gateway/keys/unknown-variables.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** nginx refuses a configuration that names a variable it does not know. */
export default rule({
  id: 'gateway/key-unknown-variable',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key names variables that nginx knows.',
  why: 'The API server does not look at the names, nginx does. One name that it does not know makes it refuse its whole configuration, and no later change to that gateway takes effect.',
  remedy:
    'Use a variable of nginx, or define it with map in a SnippetsFilter; name it under platform.variables in the settings if it is defined where this lint cannot see it.',
  source: 'nginx, alphabetical index of variables; limit_req_zone (parameter key)',
  messages: {
    unknown: 'nginx {version} has no variable "{variable}"',
    misspelt: {
      text: 'nginx {version} has no variable "{variable}"',
      remedy: 'Did you mean "{meant}"?',
    },
    glued: {
      text: 'nginx {version} has no variable "{variable}": a name goes on as long as letters, digits and underscores follow',
      remedy: 'Put ":" behind the name that is meant: "{meant}".',
    },
    'plus-only': {
      text: '"{variable}" is a variable of NGINX Plus only',
      remedy: 'Use another variable, or set platform.plus in the settings if this gateway runs NGINX Plus.',
    },
    'too-new': {
      text: 'nginx {version} has no variable "{variable}": it came with {since}',
      remedy:
        'Use another variable, or set platform.nginxVersion in the settings to the version that this gateway runs.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_adr, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables.defined)
    for (const { key } of limits) {
      if (!key.value) continue
      for (const { reason, variable, meant = '', since } of unknownVariables(key.value, nginx)) {
        const words = { variable: shorten(variable), meant: shorten(meant) }
        report(reason, key, { ...words, since, version: platform.nginxVersion })
      }
    }
  },
})
