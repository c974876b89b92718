/**
 * What a command writes may be shown by a terminal, which runs escape codes, or kept as the log of a job, whose runner
 * executes the commands that it finds there. Text from files must be neither, so all output passes here.
 */
import { escapeControls, escapeControlsInJson } from '../../reports/characters.ts'
import { escapeLogCommands, type Syntax } from '../../reports/escapes.ts'
import { type Io, type Output, offerTo } from './io.ts'

/** True in a job of GitHub Actions. */
export const isInActions = ({ env }: Pick<Io, 'env'>): boolean => env.GITHUB_ACTIONS === 'true'

/** True where something executes commands in the output: GitHub Actions, Azure Pipelines, TeamCity. */
const isWatched = ({ env }: Pick<Io, 'env'>): boolean =>
  isInActions({ env }) || env.TF_BUILD !== undefined || env.TEAMCITY_VERSION !== undefined

/**
 * The same with guarded outputs. Control characters are written out on the standard error, on a terminal and in a job, and
 * commands of a job's runner are escaped. A file or a program that reads the standard output gets it as it is; in a job
 * only a file, as nothing tells a program from the log.
 */
export function guardLog(io: Io): Io {
  const inJob = isWatched(io)
  const { stdout, stderr } = io
  return {
    ...io,
    stdout: stdout.isTTY || (inJob && !stdout.isFile) ? guarded(stdout, inJob) : stdout,
    stderr: guarded(stderr, inJob),
  }
}

function guarded(output: Output, inJob: boolean): Output {
  const guard = (text: string, syntax: Parameters<Output['write']>[1] = 'text') => {
    if (syntax === 'exact') return text
    const shown = escapeFor(syntax, output)(text)
    return inJob ? escapeLogCommands(shown, syntax) : shown
  }
  return {
    isTTY: output.isTTY,
    isFile: output.isFile,
    ...(output.closed ? { closed: output.closed } : {}),
    get columns() {
      return output.columns
    },
    write: (text, syntax) => output.write(guard(text, syntax)),
    offer: (text, syntax, onLost) => offerTo(output, guard(text, syntax), undefined, onLost),
  }
}

/** How control characters are written out. Formats without a way to do that stay as they are, but on a terminal. */
function escapeFor(syntax: Syntax, { isTTY }: Output): (text: string) => string {
  if (syntax === 'json') return escapeControlsInJson
  return isTTY || syntax === 'text' || syntax === 'markdown' ? escapeControls : (text) => text
}
