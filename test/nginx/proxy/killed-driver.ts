/** A driver in a process of its own, which kills itself at the step of a number and prints the number of steps otherwise. */
import { openDriver } from '../../../src/proxy/driver.ts'
import { composing, formsOf } from './forms.ts'

const { nginx, folder, port, configurations, killAt } = JSON.parse(process.argv[2] ?? '{}')
let steps = 0
const driver = await openDriver({
  nginx,
  folder,
  onStep() {
    steps += 1
    if (steps === killAt) process.kill(process.pid, 'SIGKILL')
  },
})
for (const forms of configurations) await driver.apply({ forms: formsOf(forms), compose: composing(port) })
await driver.leave()
console.log(steps)
