import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readSources } from './imports.ts'
import { drawMap, withMap } from './structure-map.ts'

const readmes = globSync('{.,app,components,e2e,lib,server}/**/*.md', { exclude: (name) => name.includes('node_modules') })

test('up to date: the map in server/README.md shows the edges and imports of the code', () => {
  const readme = readFileSync('server/README.md', 'utf8')
  assert.equal(withMap(readme, drawMap(readSources('server/**/*.ts'))), readme, 'run npm run map')
})

test('exists: every file that a link in a README points to', () => {
  assert.ok(readmes.length > 10, `${readmes.length} READMEs`)
  const links = readmes.flatMap((readme) =>
    [...readFileSync(readme, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => ({ readme, target: match[1] ?? '' })),
  )
  assert.ok(links.length > 0)
  const broken = links.filter(
    ({ readme, target }) => !/^https?:/.test(target) && !existsSync(path.join(path.dirname(readme), decodeURI(target))),
  )
  assert.deepEqual(broken, [])
})

test('exists: every file that the walkthroughs in server/README.md name', () => {
  const [, walkthroughs = ''] = /^## Four walkthroughs$(.*?)^## /ms.exec(readFileSync('server/README.md', 'utf8')) ?? []
  const paths = pathsIn(walkthroughs)
  assert.ok(paths.length > 80, `${paths.length} paths`)
  assert.deepEqual(
    paths.filter((name) => !existsSync(path.join('server', name))),
    [],
  )
})

test('exists: every file that the table "How do I …?" in README.md names', () => {
  const [, table = ''] = /^## How do I …\?$(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? []
  const paths = pathsIn(table)
  assert.ok(paths.length > 60, `${paths.length} paths`)
  assert.deepEqual(
    paths.filter((name) => !existsSync(name)),
    [],
  )
})

test('exists: every file and folder in the first column of a table of files below server', () => {
  const paths = readmes
    .filter((readme) => readme.startsWith('server/'))
    .flatMap((readme) => {
      const tables = readFileSync(readme, 'utf8').matchAll(/^\| (?:file|folder)[^|]*\|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n?)+)/gm)
      const firstCells = [...tables].flatMap(([, rows = '']) => rows.split('\n').map((row) => row.split('|')[1] ?? ''))
      return firstCells.flatMap(pathsIn).map((name) => path.join(path.dirname(readme), name))
    })
  assert.ok(paths.length > 200, `${paths.length} paths`)
  assert.deepEqual(
    paths.filter((name) => !existsSync(name)),
    [],
  )
})

test('self-contained: no file refers to a document outside the repository', () => {
  const texts = globSync('{.,app,components,e2e,lib,public,server}/**/*.{ts,tsx,mjs,md,sql,css}', {
    exclude: (name) => name === 'node_modules',
  })
    .filter((file) => !file.startsWith('.next/'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  assert.ok(texts.length > 500, `${texts.length} files`)
  // Put together here, so that this file does not find itself.
  const outside = new RegExp(['\\bDESI' + 'GN( \\d|\\.md|,)', '\\(sp' + 'ec[ ,)]', '\\.\\./sha' + 'red/'].join('|'))
  assert.deepEqual(
    texts.filter(({ text }) => outside.test(text)).map(({ file }) => file),
    [],
  )
})

/** The paths that a text names in backquotes: a file by its ending, a folder by its slash. Addresses begin with a slash. */
function pathsIn(text: string): string[] {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? '')
  return named.filter((name) => !name.startsWith('/') && /(?:\.(?:ts|tsx|mjs|sql|json|md|grit)|\/)$/.test(name))
}
