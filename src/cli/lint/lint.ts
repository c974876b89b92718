/** `sluice lint`. */

import { resolve } from 'node:path'
import { REGISTRY } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { counted } from '../../text/plural.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { findSettings } from '../core/project.ts'
import type { Folders } from '../core/watch.ts'
import { FLAGS, type LintFlags } from './args.ts'
import { OUTPUT_DETAILS } from './output.ts'
import { runLint } from './run.ts'

export const lintCommand: Command = command({
  name: 'lint',
  summary: 'judge the RateLimitPolicies of files and folders',
  usage: '[paths…] [flags]',
  details: `Paths are files, folders, quoted globs, or - for the standard input; the default
is the current folder. Hidden folders, node_modules, files that Git ignores and
templates of Helm charts are left out. Findings in the output of helm template
name the template.

Kustomizations are built, and what they build is judged: findings stand in the
base or the patch that wrote the value. Each kustomization that no other one
builds on is a world of its own. Where a base or a component is named, the
kustomizations of its Git repository that build on it are built. The same holds
for what the Kustomizations of Flux and the Applications and ApplicationSets of
Argo CD among the files deploy of the same repository.

--list-files shows what is judged and why other files are not, --print-config
which settings hold for a file. Editors pass the text of a file that is not
saved: "sluice lint - --stdin-filename FILE --within .".

With --within DIR, only the named files are judged, but all files of DIR are
read: for hooks, which pass the files that changed.

With --base or --old, the run also reports what the change from an earlier
version does to a running gateway, such as a reload that nginx rejects. Objects
are matched by kind, namespace and name, also in renamed and split files.
Compare rendered text with rendered text: --old FILE. --old cluster compares
with the cluster of your kubeconfig, and --cluster judges that; both only read.

With --fix, what can be fixed safely is fixed in the files: only the tokens
that change are touched. The report and the exit code are about what remains.
With --dry-run nothing is written: the change is printed as a diff, and the
report of the files as they are goes to the standard error. The same holds for
"--fix -", which prints the fixed standard input.

A comment that names a rule and says why suppresses its findings in that line:
# sluice-disable-line gateway/key-constant -- the reason
--baseline FILE suppresses known findings. --write-baseline writes that file, or
sluice.baseline.json; it has no line numbers, so that lines may move.

${OUTPUT_DETAILS}`,
  flags: FLAGS,
  examples: [
    { line: 'sluice lint', does: 'the current folder' },
    { line: "sluice lint k8s 'apps/*/overlays/**'", does: 'a folder and a glob' },
    { line: 'kustomize build overlays/prod | sluice lint - --closed-world', does: 'what is applied to the cluster' },
    { line: 'sluice lint k8s --max-warnings 0', does: 'in CI: warnings fail too' },
    { line: 'sluice lint k8s --base origin/main...', does: 'what the branch changes' },
    { line: 'sluice lint k8s --fix', does: 'fix what is safe to fix' },
    { line: 'sluice lint k8s --fix --dry-run > fix.patch', does: 'the same as a diff, for git apply' },
    { line: 'sluice lint k8s --baseline known.json --write-baseline', does: 'make all current findings known' },
    { line: 'sluice lint k8s --baseline known.json', does: 'new findings only' },
    { line: 'sluice lint --cluster -A', does: 'the objects of a cluster' },
    { line: 'sluice lint k8s --output sarif=sluice.sarif', does: 'a file for code scanning, besides the text' },
    { line: 'sluice lint --within . k8s/coffee.yaml', does: 'one file, with lookups in all files' },
    { line: 'sluice lint k8s --only key-constant', does: 'one rule alone' },
    { line: "sluice lint --exclude 'vendor/**'", does: 'all but some files' },
    { line: 'sluice lint k8s --watch', does: 'again whenever a file changes, until Ctrl-C' },
    { line: 'sluice lint k8s --rule gateway/zone-size-implicit=warning', does: 'one rule, another severity' },
  ],
  run: async (io, flags) => (flags.has('watch') ? await watchLint(io, flags) : await runLint(io, flags)),
})

/** Flags whose runs do something else than reporting on files. */
const ALONE = ['cluster', 'fix', 'write-baseline', 'list-files', 'print-config'] as const

/** Judges until SIGINT or SIGTERM. Throws {@link InputError} where the first run does, or a folder cannot be watched. */
async function watchLint(io: Io, flags: LintFlags): Promise<number> {
  const other = ALONE.find((flag) => flags.has(flag))
  if (other) throw new InputError(`--watch reports on files as they change: use it without --${other}`)
  if (flags.positionals.includes('-'))
    throw new InputError('--watch is for files: use it without the standard input (-)')
  const { namesOf, nextEnd, watchFolders } = await import('../core/watch.ts')
  const outputs = new Set(flags.values('output').map((written) => resolve(io.cwd, written.replace(/^[^=]*=/, ''))))
  const folders = watchFolders({ cwd: io.cwd, isOwn: (path) => outputs.has(path) })
  const stop = nextEnd(io)
  try {
    await judge(io, flags, folders)
    io.stderr.write(`watching ${counted(folders.count(), 'folder')}; Ctrl-C ends\n`)
    for (;;) {
      const changed = await Promise.race([folders.changes(), stop])
      if (!changed) return EXIT.clean
      io.stderr.write(`\nchanged: ${escapeUnsafe(namesOf(changed, io.cwd))}\n`)
      await judge(io, flags, folders).catch((error) => printInputError(error, io))
    }
  } finally {
    folders.close()
  }
}

/** One run, which watches the folders that it reads before it reads them. */
async function judge(io: Io, flags: LintFlags, folders: Folders): Promise<void> {
  const start = io.now()
  const settings = flags.value('config') ?? findSettings(io.cwd)
  const named = [settings, flags.value('baseline'), ...flags.values('old')].filter((path) => path !== undefined)
  folders.begin()
  for (const path of named) folders.watchFile(resolve(io.cwd, path))
  await runLint({ ...io, now: () => io.now() - start }, flags, REGISTRY, {
    onFolder: (path) => folders.watchFolder(path),
    onSource: (path) => folders.watchFile(path),
  })
  folders.end()
}

/** What a user caused, such as settings that are half written, is printed: the next change may fix it. */
function printInputError(error: unknown, { stderr }: Io): void {
  if (!(error instanceof InputError)) throw error
  stderr.write(`sluice: ${error.message}\n`)
}
