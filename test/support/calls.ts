/** How often functions of the program are called, as V8 counts. */
import { Session } from 'node:inspector/promises'

/** Runs something, and counts the calls of a function in a file meanwhile, such as `readContent` in `yaml/documents.ts`. */
export async function countCalls<Value>(
  { name, file }: { readonly name: string; readonly file: string },
  run: () => Value | Promise<Value>,
): Promise<{ readonly calls: number; readonly value: Value }> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const value = await run()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const functions = result.filter(({ url }) => url.endsWith(`/src/${file}`)).flatMap((script) => script.functions)
    const counts = functions.filter(({ functionName }) => functionName === name).map(({ ranges }) => ranges[0]?.count)
    return { calls: counts.reduce<number>((sum, count = 0) => sum + count, 0), value }
  } finally {
    session.disconnect()
  }
}
