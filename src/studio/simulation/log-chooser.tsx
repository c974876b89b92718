/** An access log of the user's disk in the place of made-up clients. */
import { useId } from 'preact/hooks'
import type { LogFile } from './runner.ts'

type LogProps = {
  readonly log: LogFile | undefined
  onChange(log: LogFile | undefined): void
}

export function LogChooser({ log, onChange }: LogProps) {
  const id = useId()
  return (
    <section class="sim-log" aria-label="Access log">
      {log ? (
        <>
          <p>
            <strong>{log.file.name}</strong> ({sizeTitle(log.file.size)}) is the traffic.
          </p>
          {(['format', 'host'] as const).map((name) => (
            <div class="sim-field" key={name}>
              <label for={`${id}-${name}`}>{TEXTS[name].label}</label>
              <input
                id={`${id}-${name}`}
                placeholder={TEXTS[name].placeholder}
                value={log[name]}
                onChange={({ currentTarget: { value } }) => onChange({ ...log, [name]: value.trim() })}
              />
            </div>
          ))}
          <button type="button" onClick={() => onChange(undefined)}>
            Use made-up clients
          </button>
        </>
      ) : (
        <div class="sim-field">
          <label for={`${id}-file`}>Drop an access log here, or choose one</label>
          <input
            id={`${id}-file`}
            type="file"
            aria-describedby={`${id}-about`}
            onChange={({ currentTarget: { files } }) => onChange(logOf(files))}
          />
          <small id={`${id}-about`}>It is read on this page, packed with gzip or not, and sent nowhere.</small>
        </div>
      )}
    </section>
  )
}

const TEXTS = {
  format: { label: 'Log format', placeholder: 'detected' },
  host: { label: 'Host, if the log has none', placeholder: 'shop.example.com' },
} as const

/** The first of the files that were chosen or dropped. */
export function logOf(files: FileList | null | undefined): LogFile | undefined {
  const file = files?.[0]
  return file && { file, format: '', host: '' }
}

const sizeTitle = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
