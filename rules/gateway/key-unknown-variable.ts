import { type KeyTraits, keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { neededModules, unknownVariables } from '../../src/gateway/keys/unknown-variables.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx refuses a configuration that uses a variable it does not know. */
export default rule({
  id: 'gateway/key-unknown-variable',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key uses only variables that nginx knows.',
  why: 'The API server does not check the names of variables, but nginx does. With one unknown name nginx refuses its whole configuration, and no later change to that Gateway takes effect.',
  remedy:
    'Use a variable of nginx, or define it with map in a SnippetsFilter. If it is defined outside these manifests, add it to platform.variables in the settings.',
  source: 'nginx, alphabetical index of variables; limit_req_zone (parameter key)',
  messages: {
    unknown: 'nginx {version} has no variable "{variable}"',
    undefined: {
      text: 'nginx {version} has no variable "{variable}", and no SnippetsFilter or SnippetsPolicy defines it',
      remedy:
        'Use a variable of nginx, or define it with map in a SnippetsFilter first. If it is defined elsewhere, add it to platform.variables in the settings.',
    },
    misspelt: { text: 'nginx {version} has no variable "{variable}"', remedy: 'Did you mean "{meant}"?' },
    glued: {
      text: 'nginx {version} has no variable "{variable}": a name includes all letters, digits and underscores that follow',
      remedy: 'Write "{meant}": the ":" ends the name.',
    },
    module: {
      text: 'only an nginx that loads {module} has the variable "{variable}", and no known snippet loads it',
      severity: 'warning',
      remedy:
        'Load it in a SnippetsFilter of context main ("load_module modules/{module}.so;"). If nginx loads it elsewhere, add {variable} to platform.variables in the settings.',
    },
    build: {
      text: 'only an nginx that is built with {module} has the variable "{variable}"',
      severity: 'info',
      remedy: 'Look for it in the output of "nginx -V"; if it is there, add {variable} to platform.variables.',
    },
    'plus-only': {
      text: '"{variable}" is a variable of NGINX Plus only',
      remedy: 'Use another variable, or set platform.plus: true in the settings if this Gateway runs NGINX Plus.',
    },
    'too-new': {
      text: 'nginx {version} has no variable "{variable}": it was added in {since}',
      remedy:
        'Use another variable, or set platform.nginxVersion in the settings to the version that this Gateway runs.',
    },
  },
  denies: {
    undefined: 'unless-dry-run',
    misspelt: 'always',
    glued: 'always',
    'plus-only': 'always',
    'too-new': 'always',
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_adr, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    for (const limit of limits) {
      const { key } = limit
      if (!key.value) continue
      const traits = keyTraits(limit, nginx)
      for (const { needs, module, name, variable } of neededModules(key.value, nginx))
        if (!isReportedElsewhere(traits, name, needs)) report(needs, key, { module, variable: shorten(variable) })
      for (const { reason, variable, meant = '', since } of unknownVariables(key.value, nginx)) {
        const data = { variable: shorten(variable), meant: shorten(meant) }
        const message = reason === 'unknown' && variables.complete ? 'undefined' : reason
        report(message, key, { ...data, since, version: platform.nginxVersion })
      }
    }
  },
})

/** Another rule says that the key is of no use with the variable; or that a client varies it, which matters more than a build. */
const isReportedElsewhere = (traits: KeyTraits | undefined, name: string, needs: 'module' | 'build'): boolean =>
  traits !== undefined &&
  (traits.sharing !== undefined ||
    traits.unique?.name === name ||
    (needs === 'build' && traits.varied?.variable === name))
