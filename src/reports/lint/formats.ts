/** The formats of a report. A new one is a file and a line here. */
import type { Reporter } from './reporter.ts'

/** One format; what renders it is read only when it is asked for. */
export type Format = {
  readonly name: string
  /** What it is for, in a few words. */
  readonly summary: string
  /** True where it shows how findings are mended. */
  readonly showsEdits?: boolean
  load(): Promise<Reporter>
}

/** In the order in which the help lists them; the first is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [
  { name: 'text', summary: 'for people', load: async () => (await import('./text.ts')).text },
  {
    name: 'json',
    summary: 'for programs; its shape is a contract',
    load: async () => (await import('./json.ts')).json,
  },
  {
    name: 'sarif',
    summary: 'SARIF 2.1.0, for code scanning',
    showsEdits: true,
    load: async () => (await import('./sarif.ts')).sarif,
  },
  { name: 'junit', summary: 'JUnit XML, for Jenkins and GitLab', load: async () => (await import('./junit.ts')).junit },
  { name: 'github', summary: 'annotations in GitHub Actions', load: async () => (await import('./github.ts')).github },
  { name: 'gitlab', summary: 'Code Quality of GitLab', load: async () => (await import('./gitlab.ts')).gitlab },
  {
    name: 'markdown',
    summary: 'for a job summary or a comment',
    load: async () => (await import('./markdown.ts')).markdown,
  },
]
