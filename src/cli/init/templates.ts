/** What `sluice init` writes. */
import type { FileToWrite } from '../../files/write/new-files.ts'
import { VERSION } from '../version/version.ts'

/** The settings: every member has its default, or is a comment. */
export const SETTINGS: FileToWrite = {
  path: 'sluice.config.yaml',
  text: `# Settings of sluice, the linter for rate limits of NGINX on Kubernetes. Everything may be left out.
# "sluice lint --print-config FILE" prints the settings that hold for a file.

# Rules that a later release adds stay off:
# ruleset: "${VERSION.split('.').slice(0, 2).join('.')}"

# Severities other than the usual ones: error, warning, info or off. "sluice rules" lists the rules.
rules: {}
#   gateway/zone-size-implicit: warning

# The nginx that runs the policies.
platform:
  nginxVersion: "1.31"
  plus: false
  variables: [] # variables that other nginx configuration defines, such as [tenant]

# Amounts above which rules warn.
budgets:
  zoneMemory: 256m # of all zones of one policy
  expectedKeys: 1000 # in each zone
  queueSeconds: 30 # in a full queue

# The release of NGINX Gateway Fabric that gets the policies; usually the newest.
# fabricVersion: "2.6.7"

# How the limits of a route and of its Gateway compose: stack (both apply) or inherit (those of the route replace them).
composition: stack

# How what configures nginx names zones: indexed (by position) or keyed (by position and key: a changed key makes a new zone).
zoneNaming: indexed

# Clusters whose objects have the same names.
# worlds:
# - name: eu
#   paths: [clusters/eu/**]
# - name: us
#   paths: [clusters/us/**]

# Other severities for some files.
# overrides:
# - files: [sandbox/**]
#   rules: { gateway/key-may-be-empty: off }

# Files and folders that are left out, besides those that Git ignores.
ignores: []
`,
}

/** How sluice is found where it is not installed by other means. */
const AS_DEPENDENCY = 'sluice is a development dependency here: npm install --save-dev sluice'

/** The hook of pre-commit, from the Git repository of sluice, or with the sluice of this repository. */
export function hookFile(url: string): FileToWrite {
  const hook =
    url === ''
      ? `# ${AS_DEPENDENCY}
- repo: local
  hooks:
  - id: sluice-lint
    name: sluice lint
    entry: npx --no-install sluice lint --within .
    language: system
    types_or: [yaml, json]
    require_serial: true
`
      : `- repo: ${url}
  rev: v${VERSION}
  hooks:
  - id: sluice-lint
`
  return { path: '.pre-commit-config.yaml', text: `repos:\n${hook}` }
}

/** The workflow of GitHub Actions, with the action of sluice, or with the sluice of this repository. */
export function workflowFile(action: string): FileToWrite {
  const checkout = `    - uses: actions/checkout@v6
`
  const steps =
    action === ''
      ? `${checkout}      with:
        fetch-depth: 0 # for the commit to compare with
    - uses: actions/setup-node@v6
      with:
        node-version: 24
    # ${AS_DEPENDENCY}
    - run: npm ci
    - if: github.event_name == 'pull_request'
      run: npx --no-install sluice lint --base "$BASE"
      env:
        BASE: \${{ github.event.pull_request.base.sha }}
    - if: github.event_name != 'pull_request'
      run: npx --no-install sluice lint
`
      : `${checkout}    - uses: ${action}
`
  return {
    path: '.github/workflows/sluice.yml',
    text: `name: sluice
on:
  pull_request:
  push:
    branches: [main]
permissions: {}
jobs:
  lint:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
${steps}`,
  }
}
