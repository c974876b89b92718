/** What a work costs, in processor time of this thread: what else the machine does counts little in it. */

/** What is measured. */
export type Work = () => unknown

/** Milliseconds of processor time that a work takes; it is repeated for `least` of them, as the clock may be a coarse one. */
export function costOf(work: Work, least: number): number {
  const start = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    work()
    const { user, system } = process.threadCpuUsage(start)
    const milliseconds = (user + system) / 1000
    if (milliseconds >= least) return milliseconds / count
  }
}

/** The same for a work that may wait: what this thread does meanwhile counts as well. */
export async function costOfEach(work: Work, least: number): Promise<number> {
  const start = process.threadCpuUsage()
  for (let count = 1; ; count++) {
    await work()
    const { user, system } = process.threadCpuUsage(start)
    const milliseconds = (user + system) / 1000
    if (milliseconds >= least) return milliseconds / count
  }
}
