/** Texts to documents, as kustomize reads them. */
import { isObject, type Json } from '../json/member.ts'
import type { TextDocument, Texts } from '../yaml/documents.ts'
import { valueWithWords } from '../yaml/words.ts'
import { BuildFailure } from './failure.ts'
import {
  itemsOf,
  memberOf,
  type Part,
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  tracedDocument,
} from './traced.ts'

/** Every document; JSON is YAML. */
const ALL = { mentions: /(?:)/, isYaml: true }

/** A text for builds. */
export function textFile({ file, text }: Pick<TextFile, 'file' | 'text'>, texts: Texts): TextFile {
  let documents: readonly TextDocument[] | undefined
  return {
    file,
    text,
    documents() {
      documents ??= texts.of(text).documents(ALL)
      return documents
    },
  }
}

/** The documents of a text as kubectl reads them. Throws {@link BuildFailure} for a syntax error. */
function readTexts(source: TextFile): readonly TextDocument[] {
  const documents = source.documents()
  for (const { value, problems } of documents)
    if (value === undefined) throw new BuildFailure(source.file, problems[0]?.reason ?? 'a document cannot be read')
  return documents
}

/** The first document of a text, as kubectl reads it; undefined where there is none. */
export function readFirst(source: TextFile): Traced | undefined {
  const [document] = readTexts(source)
  return document && tracedDocument({ source, document }, jsonOf(document.value))
}

/** The objects of a text as kustomize reads them, those of Lists one by one; `inline` is where the text stands. */
export function readObjects(source: TextFile, inline?: Place): readonly Traced[] {
  return readTexts(source).flatMap((document): readonly Traced[] => {
    const part: Part = { source, document, ...(inline ? { inline } : {}) }
    return expand(tracedDocument(part, jsonOf(valueWithWords(source.text, document))), source.file)
  })
}

/** The items of Lists one by one; what has no kind is no object. */
function expand(object: Traced, file: string): readonly Traced[] {
  if (object.value === null) return []
  if (!isObject(object.value)) throw new BuildFailure(file, 'expected Kubernetes objects')
  const kind = stringAt(object, 'kind')
  if (!kind) return []
  const items = kind.endsWith('List') ? memberOf(object, 'items') : undefined
  return items ? (itemsOf(items) ?? []).flatMap((item) => expand(item, file)) : [object]
}

/** What a document holds is JSON; what cannot be read is undefined. */
const jsonOf = (value: unknown): Json => (isJson(value) ? value : null)

const isJson = (value: unknown): value is Json => value !== undefined
