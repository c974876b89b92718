/** Runs the library beside the page, so that typing never waits for it. The functions of the library never throw. */
import { type Answered, type Asked, FUNCTIONS } from './functions.ts'

addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const run: (...given: never[]) => unknown = FUNCTIONS[data.name]
  const answer: Answered = { id: data.id, value: await Reflect.apply(run, undefined, [...data.given]) }
  postMessage(answer)
})
