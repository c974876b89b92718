/** Manifests in an editor, and what they mean, while one types. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { library } from '../library/library.ts'
import { Simulation, type SimulationProps } from '../simulation/simulation.tsx'
import type { ViewProps } from '../view.ts'

/** What is simulated, in the fragment of the address. */
function simulated(fragment: string): SimulationProps {
  const text = decodeURIComponent(fragment)
  return text === '' ? { sources: [], route: undefined } : JSON.parse(text)
}

export function Playground({ fragment }: ViewProps) {
  const [count, setCount] = useState<number>()
  useEffect(() => {
    void library()
      .rules()
      .then((all) => setCount(all.length))
  }, [])
  const props = useMemo(() => simulated(fragment), [fragment])
  return (
    <>
      <h1>Playground</h1>
      <p role="status">{count === undefined ? 'Loading the rules …' : `${count} rules`}</p>
      <Simulation {...props} />
    </>
  )
}
