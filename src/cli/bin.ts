/** The program's first file: the rest is loaded when compiled code can be kept. */
import module from 'node:module'

module.enableCompileCache?.()
const { runProcess } = await import('./process.ts')
await runProcess()
