/** The formats of a report. A new one is a file, and a line here. */
import { namingBuilds } from './builds.ts'
import type { Reporter } from './reporter.ts'

/** One format; its reporter is loaded on first use. */
export type Format = {
  readonly name: string
  /** Its use, in a few words. */
  readonly summary: string
  /** True where it contains the edits that fix findings. */
  readonly showsEdits?: boolean
  load(): Promise<Reporter>
}

/** Annotations, which the text has beside it where GitHub Actions runs it. */
export const GITHUB: Format = {
  name: 'github',
  summary: 'annotations in GitHub Actions',
  load: async () => namingBuilds((await import('./github.ts')).github),
}

/** All formats, in the order of the help; the first is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [
  { name: 'text', summary: 'for people', load: async () => namingBuilds((await import('./text.ts')).text) },
  {
    name: 'json',
    summary: 'for programs; its shape is a contract',
    load: async () => (await import('./json.ts')).json,
  },
  {
    name: 'sarif',
    summary: 'SARIF 2.1.0, for code scanning',
    showsEdits: true,
    load: async () => namingBuilds((await import('./sarif.ts')).sarif),
  },
  {
    name: 'junit',
    summary: 'JUnit XML, for Jenkins and GitLab',
    load: async () => namingBuilds((await import('./junit.ts')).junit),
  },
  GITHUB,
  {
    name: 'gitlab',
    summary: 'Code Quality of GitLab',
    load: async () => namingBuilds((await import('./gitlab.ts')).gitlab),
  },
  {
    name: 'markdown',
    summary: 'for a job summary or a comment',
    load: async () => namingBuilds((await import('./markdown.ts')).markdown),
  },
]
