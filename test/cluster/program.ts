/**
 * The command line from its sources, as a program: `node test/cluster/program.ts COMMAND`. A file, because worker processes
 * start what their primary process was started with.
 */

/** The path of the program. */
export const PROGRAM = import.meta.filename

if (process.argv[1] === PROGRAM) {
  const { runProcess } = await import('../../src/cli/process.ts')
  await runProcess()
}
