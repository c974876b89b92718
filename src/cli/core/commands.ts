/** The table of commands, in the order of the help. Each is loaded when it is asked for. */
import type { CommandRow } from './command.ts'

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'lint',
    summary: 'judge the RateLimitPolicies of files and folders',
    load: async () => (await import('../lint/lint.ts')).lintCommand,
  },
  {
    name: 'effective',
    summary: 'list the limits that requests to a route or a Gateway meet',
    load: async () => (await import('../effective/effective.ts')).effectiveCommand,
  },
  {
    name: 'status',
    summary: 'tell which policies are accepted, and which targets they affect',
    load: async () => (await import('../status/status.ts')).statusCommand,
  },
  {
    name: 'render',
    summary: 'write the nginx configuration that the policies mean',
    load: async () => (await import('../render/render.ts')).renderCommand,
  },
  {
    name: 'simulate',
    summary: 'say what the limits would do to traffic',
    load: async () => (await import('../simulate/simulate.ts')).simulateCommand,
  },
  {
    name: 'serve',
    summary: 'answer for the cluster: the admission webhook',
    load: async () => (await import('../serve/serve.ts')).serveCommand,
  },
  {
    name: 'manifests',
    summary: 'print the manifests that install the admission webhook',
    load: async () => (await import('../manifests/manifests.ts')).manifestsCommand,
  },
  {
    name: 'rules',
    summary: 'list the rules',
    load: async () => (await import('../rules/rules.ts')).rulesCommand,
  },
  {
    name: 'explain',
    summary: 'say why a rule is there and what to do about it',
    load: async () => (await import('../explain/explain.ts')).explainCommand,
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => (await import('../version/version.ts')).versionCommand,
  },
  {
    name: 'help',
    summary: 'say how a command is used',
    load: async () => (await import('../help/help.ts')).createHelpCommand(COMMANDS),
  },
]
