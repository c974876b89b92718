/** Writes proxies until it is killed, and prints the name of each that was acknowledged. `writer.ts FILE` */
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { newProxy, newWorkspace } from './values.ts'

const { store } = openSqliteStore(process.argv[2] ?? '', { onThread: true })
await store.commit(newWorkspace('team'))
/** Several writers at once, as requests are. */
const write = async (writer: number) => {
  for (let number = 0; ; number += 1) {
    const name = `p-${writer}-${number}`
    await store.commit(newProxy('team', name))
    process.stdout.write(`${name}\n`)
  }
}
await Promise.all([1, 2, 3, 4].map(write))
