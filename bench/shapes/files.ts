/** Files that say how others are found and built: globs, `.gitignore`, kustomizations. */
import type { FileTree } from '../../src/files/discover/file-tree.ts'
import { enterFolder, isIgnored } from '../../src/files/discover/git-ignore.ts'
import { matchPaths, readGlob } from '../../src/files/discover/picomatch-globs.ts'
import { lint } from '../../src/index.ts'
import { fresh, many, policy } from './objects.ts'
import type { Shape } from './shape.ts'

const FOLDER = '/repository'
const PATHS = many(64, (index) => `${FOLDER}/apps/team-${index}/policy.yaml`)

/** Globs for a size, and the paths that they are asked about. */
const globs =
  (globsOf: (size: number) => readonly string[], pathsOf: (size: number) => readonly string[] = () => PATHS): Shape =>
  (size) => {
    const paths = pathsOf(size)
    return () => paths.filter(matchPaths(globsOf(size), FOLDER))
  }
const ofPath =
  (...written: readonly string[]): Shape =>
  (size) =>
    globs(
      () => written,
      () => [`${FOLDER}/${'a'.repeat(size)}`, `${FOLDER}/${'a/'.repeat(size)}`, `${FOLDER}/${'ab'.repeat(size)}c`],
    )(size)
const argument =
  (part: string): Shape =>
  (size) => {
    const written = part.repeat(size)
    return () => readGlob(written, FOLDER)
  }

/** A folder whose only file is its `.gitignore`. */
const folderWith = (patterns: string): FileTree => {
  const stats = { isDirectory: () => false, isFile: () => true, isFIFO: () => false, isSocket: () => false, size: 1 }
  return {
    exists: () => true,
    stat: () => stats,
    isLink: () => false,
    real: (path) => path,
    list: () => [],
    read: (path) => new TextEncoder().encode(path.endsWith('.gitignore') ? patterns : ''),
  }
}
const ignored =
  (patternsOf: (size: number) => string, pathsOf: (size: number) => readonly string[] = () => PATHS): Shape =>
  (size) => {
    const [tree, paths] = [folderWith(patternsOf(size)), pathsOf(size)]
    return () => {
      const layer = enterFolder(
        { root: FOLDER, patterns: undefined },
        FOLDER,
        { repository: false, patterns: true },
        { tree },
      )
      return paths.filter((path) => isIgnored(layer, path, false))
    }
  }
const longPaths = (size: number) => [`${FOLDER}/${'a'.repeat(size)}`, `${FOLDER}/${'ab'.repeat(size)}c`]

type Files = readonly (readonly [path: string, text: string])[]

const built =
  (filesOf: (size: number) => Files): Shape =>
  (size) => {
    const sources = filesOf(size).map(([file, text]) => ({ file, text }))
    return () => {
      const result = lint(sources, { kustomize: true })
      if (!result.ok) throw new Error('it is refused')
      return result.value
    }
  }
const kustomization = (folder: string, members: object): readonly [string, string] => [
  `${folder}/kustomization.yaml`,
  JSON.stringify(members),
]
const object = (file: string, name = 'coffee'): readonly [string, string] => [file, JSON.stringify(policy({ name }))]
const named = (index: number) => ({ kind: 'RateLimitPolicy', name: `p${index}` })

/** A kustomization with so many policies. */
const withPolicies = (size: number, membersOf: (size: number) => object = () => ({})): Files => [
  kustomization('a', { resources: many(size, (index) => `p${index}.yaml`), ...membersOf(size) }),
  ...many(size, (index) => object(`a/p${index}.yaml`, `p${index}`)),
]
/** A kustomization of one policy. */
const withMembers = (members: object, ...files: Files): Files => [
  kustomization('a', { resources: ['p.yaml'], ...members }),
  object('a/p.yaml'),
  ...files,
]
const RATE = '/spec/rateLimit/local/rules/0/rate'

export const FILE_SHAPES: Readonly<Record<string, Shape>> = {
  'globs of the settings': globs((size) => many(size, () => `apps/t${fresh()}/**/*.yaml`)),
  'alternatives of a glob': globs((size) => [`{${many(size, (index) => `a${index}`).join(',')}}/*.yaml`]),
  'a path and a glob with a few stars': ofPath('*a*b'),
  'a path and a glob with many stars': ofPath('*a*a*a*a*a*b'),
  'a path and a glob with many folders': ofPath('**/a/**/a/**/a/**/a/**/b'),
  'a path and a glob with repeated groups': ofPath('+(a|aa)b', '*(a|+(a))b'),
  'a path and a glob with a negation': ofPath('!(a)*b', '!(a*)b'),
  'stars of a glob': globs((size) => ['*a'.repeat(size)]),
  'folders of a glob': globs((size) => ['**/a/'.repeat(size)]),
  'groups of a glob': globs((size) => ['+(a'.repeat(size)]),
  'braces of a glob': globs((size) => ['{a,'.repeat(size)]),
  'brackets of a glob': globs((size) => ['[a'.repeat(size)]),
  'classes of a glob': globs((size) => ['[[:alpha:]]'.repeat(size)]),
  'backslashes of a glob': globs((size) => ['\\'.repeat(size)]),
  'questions of a glob': globs((size) => ['?'.repeat(size)]),
  'an argument of brackets': argument('['),
  'an argument of parentheses': argument('+('),
  'an argument of braces': argument('{'),
  'an argument of stars': argument('*a'),
  'patterns of .gitignore': ignored((size) => many(size, (index) => `x${index}/*.yaml`).join('\n')),
  'negated patterns of .gitignore': ignored((size) => many(size, (index) => `*.yaml\n!x${index}*`).join('\n')),
  'stars of a pattern of .gitignore': ignored((size) => '*a'.repeat(size), longPaths),
  'folders of a pattern of .gitignore': ignored((size) => '**/'.repeat(size)),
  'brackets of a pattern of .gitignore': ignored((size) => '[a'.repeat(size)),
  'backslashes of a pattern of .gitignore': ignored((size) => '\\'.repeat(size)),
  'spaces of a pattern of .gitignore': ignored((size) => `a${' '.repeat(size)}b`),
  'blank lines of .gitignore': ignored((size) => ' \n'.repeat(size)),
  'a path and a pattern of .gitignore with many stars': ignored(() => '*a*a*a*b', longPaths),
  'resources of a kustomization': built((size) => withPolicies(size)),
  'resources of one file of a kustomization': built((size) => [
    kustomization('a', { resources: ['p.yaml'] }),
    ['a/p.yaml', many(size, (index) => JSON.stringify(policy({ name: `p${index}` }))).join('\n---\n')],
  ]),
  'bases on bases': built((size) => [
    kustomization('b0', { resources: ['p.yaml'] }),
    object('b0/p.yaml'),
    ...many(size, (index) => kustomization(`b${index + 1}`, { resources: [`../b${index}`] })),
  ]),
  'bases on bases with prefixes': built((size) => [
    kustomization('b0', { resources: ['p.yaml'] }),
    object('b0/p.yaml'),
    ...many(size, (index) => kustomization(`b${index + 1}`, { resources: [`../b${index}`], nameSuffix: 'a' })),
  ]),
  'overlays of one base': built((size) => [
    ...withMembers({}),
    ...many(size, (index) => kustomization(`o${index}`, { resources: ['../a'], namespace: `n${index}` })),
  ]),
  'components of a kustomization': built((size) => [
    ...withMembers({ components: many(size, (index) => `../c${index}`) }),
    ...many(size, (index) =>
      kustomization(`c${index}`, {
        ...{ apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' },
        labels: [{ pairs: { a: `v${index}` } }],
      }),
    ),
  ]),
  'patches of one object': built((size) =>
    withMembers({
      patches: many(size, (index) => ({
        target: { kind: 'RateLimitPolicy' },
        patch: JSON.stringify([{ op: 'replace', path: RATE, value: `${index}r/s` }]),
      })),
    }),
  ),
  'merging patches of one object': built((size) =>
    withMembers({
      patches: many(size, (index) => ({
        patch: JSON.stringify({ ...policy(), metadata: { name: 'coffee', labels: { a: `v${index}` } } }),
      })),
    }),
  ),
  'operations of a patch': built((size) =>
    withMembers({
      patches: [
        {
          target: { kind: 'RateLimitPolicy' },
          patch: JSON.stringify(
            many(size, (index) => ({ op: 'add', path: `/metadata/annotations/a${index}`, value: 'x' })),
          ),
        },
      ],
    }),
  ),
  'a patch of many objects': built((size) =>
    withPolicies(size, () => ({
      patches: [{ target: { name: '(p.*)+' }, patch: JSON.stringify([{ op: 'replace', path: RATE, value: '7r/s' }]) }],
    })),
  ),
  'labels of a kustomization': built((size) =>
    withMembers({ labels: many(size, (index) => ({ pairs: { [`a${index}`]: 'b' } })) }),
  ),
  'generators of a kustomization': built((size) =>
    withMembers({ configMapGenerator: many(size, (index) => ({ name: `m${index}`, literals: ['a=b'] })) }),
  ),
  'literals of a generator': built((size) =>
    withMembers({ configMapGenerator: [{ name: 'm', literals: many(size, (index) => `a${index}=b`) }] }),
  ),
  'targets of a replacement': built((size) =>
    withPolicies(size, () => ({
      replacements: [
        {
          source: { ...named(0), fieldPath: 'spec.rateLimit.local.rules.0.rate' },
          targets: [{ select: { kind: 'RateLimitPolicy' }, fieldPaths: ['spec.rateLimit.local.rules.0.rate'] }],
        },
      ],
    })),
  ),
  'unknown members of a kustomization': built((size) =>
    withMembers(Object.fromEntries(many(size, (index) => [`m${index}`, 1]))),
  ),
  'files of a kustomization that are not there': built((size) =>
    withMembers({ patches: many(size, (index) => ({ path: `gone${index}.yaml` })) }),
  ),
}
