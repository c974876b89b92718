/** What needs a newer Node than the offline commands says so in one line. */
import { InputError, type Io } from './io.ts'

/** Throws {@link InputError} where the running Node is older than `major.minor`. */
export function requireNode(minimum: string, { nodeVersion }: Pick<Io, 'nodeVersion'>): void {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = minimum.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  throw new InputError(`this command needs Node ${minimum} or newer; this is ${nodeVersion}`)
}
