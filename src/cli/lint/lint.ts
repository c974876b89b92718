/** `sluice lint`. */
import { type Command, command } from '../core/command.ts'
import { FLAGS } from './args.ts'
import { OUTPUT_DETAILS } from './output.ts'
import { runLint } from './run.ts'

export const lintCommand: Command = command({
  name: 'lint',
  summary: 'judge the RateLimitPolicies of files and folders',
  usage: '[paths…] [flags]',
  details: `Paths are files, folders, globs in quotes, or - for the standard input; without
one, the current folder. Hidden folders, node_modules, what Git ignores and the
templates of Helm charts are left out. What Helm has rendered is shown under the
names of its templates.

With --within DIR only what is named is judged, and all files of DIR are looked
up in: for hooks, which pass the files that changed.

With --base or --old a run also says what the change from an earlier version
would do to a gateway that runs, such as a reload that nginx refuses. Objects
are found again by kind, namespace and name, also in renamed and split files.
Rendered text is best compared with text rendered likewise: --old FILE.
--old cluster compares with what lives in the cluster of your kubeconfig, and
--cluster judges that; both only read.

With --fix what can be mended safely is mended in the files: only the tokens
that change are touched. The report, and the exit code, are of what remains.
With --dry-run nothing is written: the change is printed as a diff, the report
of the files as they are goes to the standard error. So it does for
"--fix -", which prints the standard input as mended.

A finding that is meant stays quiet beside a comment that names its rule and
says why: # sluice-disable-line gateway/key-constant -- the reason
Findings that are known stay quiet with --baseline FILE. --write-baseline writes
that file, or else sluice.baseline.json; it knows no lines, so they may move.

${OUTPUT_DETAILS}`,
  flags: FLAGS,
  examples: [
    { line: 'sluice lint', does: 'the current folder' },
    { line: "sluice lint k8s 'apps/*/overlays/**'", does: 'a folder and a glob' },
    { line: 'kustomize build overlays/prod | sluice lint - --closed-world', does: 'what reaches the cluster' },
    { line: 'sluice lint k8s --max-warnings 0', does: 'in CI: warnings fail too' },
    { line: 'sluice lint k8s --base origin/main...', does: 'what the branch changes' },
    { line: 'sluice lint k8s --fix', does: 'mend what is safe to mend' },
    { line: 'sluice lint k8s --fix --dry-run > fix.patch', does: 'the same as a diff, for git apply' },
    { line: 'sluice lint k8s --baseline known.json --write-baseline', does: 'call known what is found now' },
    { line: 'sluice lint k8s --baseline known.json', does: 'new findings only' },
    { line: 'sluice lint --cluster -A', does: 'what lives in a cluster' },
    { line: 'sluice lint k8s --output sarif=sluice.sarif', does: 'for code scanning, beside the text' },
    { line: 'sluice lint --within . k8s/coffee.yaml', does: 'one file, seen among all' },
    { line: 'sluice lint k8s --rule gateway/zone-size-implicit=warning', does: 'one rule, another severity' },
  ],
  run: runLint,
})
