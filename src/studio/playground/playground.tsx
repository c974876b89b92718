/** Manifests in an editor, and what they mean, while one types. */
import { useEffect, useState } from 'preact/hooks'
import { library } from '../library/library.ts'
import type { ViewProps } from '../view.ts'

export function Playground(_props: ViewProps) {
  const [count, setCount] = useState<number>()
  useEffect(() => {
    void library()
      .rules()
      .then((all) => setCount(all.length))
  }, [])
  return (
    <>
      <h1>Playground</h1>
      <p role="status">{count === undefined ? 'Loading the rules …' : `${count} rules`}</p>
    </>
  )
}
