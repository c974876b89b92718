/** The names of the files: which is in the editor, and adding, renaming and removing them. */
import { useState } from 'preact/hooks'
import type { TextSource } from '../../browser.ts'

type FilesProps = {
  readonly files: readonly TextSource[]
  readonly chosen: string
  onChoose(file: string): void
  onFiles(files: readonly TextSource[]): void
}

export function Files({ files, chosen, onChoose, onFiles }: FilesProps) {
  const [renaming, setRenaming] = useState<string>()
  const add = () => {
    const file = freeName(files)
    onFiles([...files, { file, text: '' }])
    onChoose(file)
  }
  const remove = () => {
    const rest = files.filter(({ file }) => file !== chosen)
    onFiles(rest)
    onChoose(rest[0]?.file ?? '')
  }
  const rename = (name: string) => {
    setRenaming(undefined)
    if (name === '' || files.some(({ file }) => file === name)) return
    onFiles(files.map((one) => (one.file === chosen ? { ...one, file: name } : one)))
    onChoose(name)
  }
  return (
    <div class="play-files">
      {files.map(({ file }) => (
        <button key={file} type="button" aria-pressed={file === chosen} onClick={() => onChoose(file)}>
          {file}
        </button>
      ))}
      <button type="button" onClick={add}>
        Add file
      </button>
      <button type="button" onClick={() => setRenaming(chosen)}>
        Rename
      </button>
      <button type="button" disabled={files.length < 2} onClick={remove}>
        Remove
      </button>
      {renaming !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            rename(renaming.trim())
          }}
        >
          <label>
            New name <input value={renaming} onInput={({ currentTarget }) => setRenaming(currentTarget.value)} />
          </label>
          <button type="submit">Rename the file</button>
        </form>
      )}
    </div>
  )
}

function freeName(files: readonly TextSource[]): string {
  for (let number = files.length + 1; ; number += 1)
    if (!files.some(({ file }) => file === `file-${number}.yaml`)) return `file-${number}.yaml`
}
