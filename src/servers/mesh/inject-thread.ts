/**
 * Injection into manifests of any size: large ones on a thread of its own, which runs this very module, so that other requests
 * are answered meanwhile.
 */
import { HttpError } from '../../http/http-error.ts'
import { type Injected, type InjectOptions, inject } from '../../mesh/inject/inject.ts'
import { answerTogether, createThread, programOf, threadData } from '../../threads/thread.ts'

type Options = Omit<InjectOptions, 'around'>

/** As {@link inject}. Rejects with `HttpError` 413 where the manifests need more memory than a thread has. */
export type Injector = (text: string, options: Options) => Promise<Injected>

/** Characters that are injected at once, in a few milliseconds. */
const AT_ONCE = 16 * 1024

const PURPOSE = 'inject sidecars'

type Question = { readonly text: string; readonly options: Options }

/** Creates an injector. Its thread starts with the first large text, and reads one after the other. */
export function createInjector(): Injector {
  const program = programOf(import.meta.filename, 'inject-thread.cjs')
  const thread = createThread<Question, Injected>({ program, data: { sluice: PURPOSE } })
  return async (text, options) => {
    if (text.length <= AT_ONCE) return inject(text, options)
    try {
      return await thread.ask({ text, options })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new HttpError(413, 'the manifests need more memory than there is: send them in several requests')
      throw error
    }
  }
}

if (threadData(PURPOSE))
  answerTogether<Question, Injected>((questions) => questions.map(({ text, options }) => inject(text, options)))
