/** Which resources a patch or a replacement is for. Source: kustomize, api/types/selector.go, api/resmap. */
import { isObject } from '../json/member.ts'
import { compileLinear } from '../text/linear.ts'
import { BuildFailure, refused } from './failure.ts'
import { currentId, effectiveNamespace, type Gvk, gvkOf, originalId, type Resource } from './resource.ts'
import { memberOf, type Place, stringAt, type Traced } from './traced.ts'

/** A selector; an empty member matches everything. */
export type Selector = Partial<Gvk> & {
  readonly name?: string
  readonly namespace?: string
  readonly labels: LabelTest | undefined
  readonly annotations: LabelTest | undefined
  /** Where it is written. */
  readonly at: Place
}

/** Whether the labels (or annotations) of an object match. */
type LabelTest = (labels: Readonly<Record<string, string>>) => boolean

const TEXTS = ['group', 'version', 'kind', 'name', 'namespace'] as const
const LABELS = ['labelSelector', 'annotationSelector'] as const

/** Reads a selector. Throws {@link BuildFailure} for one that kustomize rejects. */
export function readSelector(written: Traced): Selector {
  const texts = TEXTS.map((name) => [name, stringAt(written, name)] as const).filter(([, text]) => text)
  const [labels, annotations] = LABELS.map((name) => readLabels(memberOf(written, name) ?? written))
  return { ...Object.fromEntries(texts), labels, annotations, at: written.at }
}

/** The resources that a selector of `patches` selects: its texts are regular expressions for the whole value. */
export function selectResources(resources: readonly Resource[], selector: Selector): readonly Resource[] {
  const [group, version, kind, name, namespace] = TEXTS.map((key) => matcher(selector[key], selector.at))
  return resources.filter((resource) => {
    const [now, original, gvk] = [currentId(resource), originalId(resource), gvkOf(resource.root)]
    return (
      [original, now].some((id) => namespace?.(effectiveNamespace(id))) &&
      [original, now].some((id) => name?.(id.name)) &&
      group?.(gvk.group) &&
      version?.(gvk.version) &&
      kind?.(gvk.kind) &&
      matchesLabels(resource, selector)
    )
  })
}

/** Whether the labels and annotations of a resource match a selector. */
export const matchesLabels = ({ root }: Pick<Resource, 'root'>, { labels, annotations }: Selector): boolean =>
  (labels?.(textsIn(root, 'labels')) ?? true) && (annotations?.(textsIn(root, 'annotations')) ?? true)

function textsIn(root: Traced, name: string): Readonly<Record<string, string>> {
  const metadata = memberOf(root, 'metadata')
  const { value } = (metadata && memberOf(metadata, name)) ?? { value: null }
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {}
}

function matcher(pattern: string | undefined, at: Place): (text: string) => boolean {
  if (!pattern) return () => true
  const expression = compileLinear(`^(?:${pattern})$`)
  if (!expression) {
    const reason = `the selector "${pattern}" is not a regular expression of Go`
    throw isBroken(pattern) ? refused('selector', at, reason) : new BuildFailure(at.part.source.file, reason)
  }
  return (text) => expression.test(text)
}

/** True for an expression that is none in any language; what only Go knows is not judged. */
function isBroken(pattern: string): boolean {
  if (/\\|\(\?/.test(pattern)) return false
  if (/^[*+?]/.test(pattern)) return true
  if (pattern.includes('[')) return !pattern.includes(']')
  let open = 0
  for (const character of pattern) {
    if (character === '(') open++
    else if (character === ')' && --open < 0) return true
  }
  return open > 0
}

const REQUIREMENT =
  /^\s*(?:(?<not>!)\s*(?<absent>[^\s!=,()]+)|(?<key>[^\s!=,()]+)(?:\s*(?:(?<operator>==?|!=)(?:\s*(?<value>[^\s=,()]+))?|(?<set>in|notin)\s*\((?<values>[^()]*)\)))?)\s*(?:,|$)/

/** Reads a label selector: `app=shop, tier in (a, b), !old`. Source: Kubernetes, labels.Parse. */
function readLabels({ value, at }: Traced): LabelTest | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const tests: LabelTest[] = []
  for (let rest = value; rest.trim() !== ''; ) {
    const found = REQUIREMENT.exec(rest)
    if (!found?.groups) {
      const reason = `the selector "${value}" cannot be read`
      throw /[<>]/.test(value) ? new BuildFailure(at.part.source.file, reason) : refused('selector', at, reason)
    }
    tests.push(readRequirement(found.groups))
    rest = rest.slice(found[0].length)
  }
  return (labels) => tests.every((test) => test(labels))
}

function readRequirement(groups: Readonly<Record<string, string | undefined>>): LabelTest {
  const { absent, key = '', operator, value = '', set, values = '' } = groups
  const valueIn = (labels: Readonly<Record<string, string>>) => (Object.hasOwn(labels, key) ? labels[key] : undefined)
  if (absent !== undefined) return (labels) => !Object.hasOwn(labels, absent)
  if (set !== undefined) {
    const listed = values.split(',').map((entry) => entry.trim())
    return (labels) => listed.includes(valueIn(labels) ?? '\0') === (set === 'in')
  }
  if (operator === undefined) return (labels) => valueIn(labels) !== undefined
  return (labels) => (valueIn(labels) === value) === (operator !== '!=')
}
