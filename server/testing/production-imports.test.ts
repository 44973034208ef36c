import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { test } from 'node:test'
import { importsOf } from './import-graph.ts'

const NEEDED_BY_TESTS = /(^server\/testing\/|\/testing\/|\.test\.tsx?$|^playwright|\/samples\/)/

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The name of the package that a specifier leads to: `@scope/name/file` is of `@scope/name`. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

test('every package that the service or its pages import is in dependencies, because production installs no others', () => {
  const files = globSync(['{app,components,lib,server}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}']).filter((path) => !NEEDED_BY_TESTS.test(path))
  assert.ok(files.length > 500, `${files.length} files`)
  const missing = files.flatMap((path) =>
    importsOf({ path, text: readFileSync(path, 'utf8') })
      .filter((target) => /^@?[a-z][\w./-]*$/.test(target) && !/^(app|components|lib|server|e2e)\//.test(target) && !isBuiltin(target))
      .filter((target) => !/\.(ts|tsx|mjs|css|json)$/.test(target) && !(packageOf(target) in dependencies))
      .map((target) => `${path} imports ${target}`),
  )
  assert.deepEqual(missing, [])
})
