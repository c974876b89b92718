/** The table of commands, in the order of the help. Each is loaded when it is run. */
import type { CommandRow } from './command.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'lint',
    summary: 'judge the RateLimitPolicies of files and folders',
    load: async () => (await import('../lint/lint.ts')).lintCommand,
  },
  {
    name: 'effective',
    summary: 'list the limits of a route, a Gateway or an API proxy',
    load: async () => (await import('../effective/effective.ts')).effectiveCommand,
  },
  {
    name: 'status',
    summary: 'show which policies are accepted, and the targets they affect',
    load: async () => (await import('../status/status.ts')).statusCommand,
  },
  {
    name: 'render',
    summary: 'write the nginx configuration of a Gateway, or of API proxies',
    load: async () => (await import('../render/render.ts')).renderCommand,
  },
  {
    name: 'simulate',
    summary: 'simulate what the limits do to traffic',
    load: async () => (await import('../simulate/simulate.ts')).simulateCommand,
  },
  {
    name: 'try',
    summary: 'enforce the policies with a real nginx on this machine',
    load: async () => (await import('../try/try.ts')).tryCommand,
  },
  {
    name: 'serve',
    summary: 'run the admission webhook, the controller or a management API',
    load: async () => (await import('../serve/serve.ts')).serveCommand,
  },
  {
    name: 'api-management',
    summary: 'back up and restore what the management API keeps',
    load: async () => (await import('../api-management/api-management.ts')).apiManagementCommand,
  },
  {
    name: 'manifests',
    summary: 'print manifests of the webhook, controller or an API',
    load: async () => (await import('../manifests/manifests.ts')).manifestsCommand,
  },
  {
    name: 'doctor',
    summary: 'check an installation in a cluster, or its manifests',
    load: async () => (await import('../doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'export',
    summary: 'print the rules as policies that the API server evaluates',
    load: async () => (await import('../export/export.ts')).exportCommand,
  },
  {
    name: 'inject',
    summary: 'add the sidecar of the service mesh to manifests',
    load: async () => (await import('../inject/inject.ts')).injectCommand,
  },
  {
    name: 'mesh',
    summary: 'show and change the service mesh of a cluster, through its API',
    load: async () => (await import('../mesh/mesh.ts')).meshCommand,
  },
  {
    name: 'rules',
    summary: 'list the rules of lint',
    load: async () => (await import('../rules/rules.ts')).rulesCommand,
  },
  {
    name: 'explain',
    summary: 'explain a rule: why it exists, and how to fix what it reports',
    load: async () => (await import('../explain/explain.ts')).explainCommand,
  },
  {
    name: 'suppressions',
    summary: 'list what suppresses findings, with owner, last day and age',
    load: async () => (await import('../suppressions/suppressions.ts')).suppressionsCommand,
  },
  {
    name: 'init',
    summary: 'write settings, and on request a hook and a workflow',
    load: async () => (await import('../init/init.ts')).initCommand,
  },
  {
    name: 'completion',
    summary: 'print a script for the completion of your shell',
    load: async () => (await import('../completion/completion.ts')).createCompletionCommand(COMMANDS),
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => (await import('../version/version.ts')).versionCommand,
  },
  {
    name: 'help',
    summary: 'show how to use a command',
    load: async () => (await import('../help/help.ts')).createHelpCommand(COMMANDS),
  },
]
