import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { judged } from './collect.ts'
import { createFolder, policy } from './folder.ts'

/** A repository with every file that Git does not ignore. */
function createRepository(files: Readonly<Record<string, string>>): { folder: string; kept: readonly string[] } {
  const folder = createFolder(files)
  const git = (...parameters: string[]) => execFileSync('git', ['-C', folder, ...parameters], { encoding: 'utf8' })
  git('init', '-q')
  return {
    folder,
    get kept() {
      return git('ls-files', '--others', '--exclude-standard', '-z')
        .split('\0')
        .filter((file) => file.endsWith('.yaml'))
        .sort()
    },
  }
}

const everywhere = (...paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, policy()]))

it('leaves out what Git ignores, level by level', async () => {
  const repository = createRepository({
    '.gitignore': 'build/\n/top.yaml\n*.gen.yaml\n!keep.gen.yaml\n# comment\n\nsecret*\n**/tmp/*.yaml\ndocs/*.yaml\n',
    'apps/.gitignore': '!secret.yaml\n/local.yaml\ncache\nnested/deep.yaml\n*.old.yaml\n',
    'apps/nested/.gitignore': '*\n!*.yaml\n!*/\n',
    'odd [1]/.gitignore': 'x.yaml\n/y.yaml\n',
    ...everywhere('top.yaml', 'apps/top.yaml', 'build/a.yaml', 'apps/build/a.yaml', 'a.gen.yaml', 'keep.gen.yaml'),
    ...everywhere('secret.yaml', 'apps/secret.yaml', 'apps/local.yaml', 'apps/nested/local.yaml', 'apps/cache/a.yaml'),
    ...everywhere('apps/nested/deep.yaml', 'apps/nested/a.old.yaml', 'apps/nested/more/b.yaml', 'tmp/a.yaml'),
    ...everywhere(
      'x/tmp/a.yaml',
      'x/tmp/y/a.yaml',
      'docs/a.yaml',
      'docs/b/a.yaml',
      'odd [1]/x.yaml',
      'odd [1]/z/x.yaml',
    ),
    ...everywhere('odd [1]/y.yaml', 'odd [1]/z/y.yaml', 'odd 1/x.yaml', 'A.GEN.yaml'),
  })
  expect(await judged(repository.folder)).toEqual(repository.kept)
})

it('follows patterns of the folders above the one that is walked', async () => {
  const { folder } = createRepository({
    '.gitignore': '*.gen.yaml\n',
    'apps/.gitignore': '/shop/local.yaml\n',
    ...everywhere('apps/shop/a.yaml', 'apps/shop/a.gen.yaml', 'apps/shop/local.yaml'),
  })
  expect(await judged(folder, ['apps/shop'])).toEqual(['apps/shop/a.yaml'])
  expect(await judged(join(folder, 'apps/shop'))).toEqual(['a.yaml'])
  expect(await judged(folder, ['apps/**/*.yaml'])).toEqual(['apps/shop/a.yaml'])
})

it('follows .git/info/exclude', async () => {
  const { folder } = createRepository(everywhere('a.yaml', 'mine.yaml'))
  execFileSync('sh', ['-c', 'echo mine.yaml >> .git/info/exclude'], { cwd: folder })
  expect(await judged(folder)).toEqual(['a.yaml'])
})

it('reads what is named, though Git ignores it', async () => {
  const { folder } = createRepository({
    '.gitignore': 'build/\n*.gen.yaml\n',
    ...everywhere('build/x/a.yaml', 'b.gen.yaml'),
  })
  expect(await judged(folder)).toEqual([])
  expect(await judged(folder, ['b.gen.yaml', 'build/x/a.yaml'])).toEqual(['b.gen.yaml', 'build/x/a.yaml'])
  expect(await judged(folder, ['build'])).toEqual(['build/x/a.yaml'])
  expect(await judged(folder, ['build/x'])).toEqual(['build/x/a.yaml'])
})

it('keeps the patterns of a repository out of the repositories within it', async () => {
  const { folder } = createRepository({
    '.gitignore': 'a.yaml\n',
    ...everywhere('a.yaml', 'inner/a.yaml', 'inner/b.yaml'),
  })
  execFileSync('git', ['init', '-q', join(folder, 'inner')])
  execFileSync('sh', ['-c', 'echo b.yaml > inner/.git/info/exclude'], { cwd: folder })
  expect(await judged(folder)).toEqual(['inner/a.yaml'])
})

it('follows the patterns of a worktree, which keeps them elsewhere', async () => {
  const { folder } = createRepository({ 'main/a.yaml': policy() })
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...parameters], {
      stdio: 'pipe',
    })
  git('add', '.')
  git('commit', '-qm', 'first')
  git('worktree', 'add', '-q', 'other')
  execFileSync('sh', ['-c', 'echo a.yaml > .git/info/exclude'], { cwd: folder })
  expect(await judged(join(folder, 'other'))).toEqual([])
})

it('follows .gitignore outside of any repository, too', async () => {
  const folder = createFolder({ '.gitignore': 'b.yaml\n', ...everywhere('a.yaml', 'b.yaml') })
  expect(await judged(folder)).toEqual(['a.yaml'])
})
