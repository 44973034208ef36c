import { importsOf, resolveImport, type SourceFile, withoutComments } from './import-graph.ts'

type UnusedExport = { path: string; name: string }

/** Names that Next and the tools read from files that no other file imports. */
const ENTRIES =
  /^(app\/(.*\/)?(page|layout|loading|error|not-found|forbidden|unauthorized|global-error|template|default|route)\.tsx?|proxy\.ts|instrumentation\.ts|next-env\.d\.ts|[^/]*\.config\.(ts|mjs)|.*\.(test|spec)\.tsx?)$/
const DECLARATION = /^export (?:default )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|type|interface) (\w+)/gm
const LIST = /^export (?:type )?\{([^}]*)\}/gm
const IMPORT = /(?:^|[\s;`])(?:import|export)\s+(?:type\s+)?([^'"`;]*?)\s*from\s*['"]([^'"]+)['"]/gm
/** A path that a program in a template string takes from a variable. */
const COMPUTED = '(computed)'
const DYNAMIC_IMPORT = /\bimport\(\s*['"]([^'"]+)['"]/g

/** Exports that no other file imports. A namespace or dynamic import uses every name of the module that the importing file contains. */
export function findUnusedExports(files: readonly SourceFile[]): UnusedExport[] {
  const used = new Set(files.flatMap((file) => usesOf(file)))
  const loadedWhole = new Map<string, string[]>()
  for (const file of files)
    for (const target of wholeImportsOf(file)) loadedWhole.set(target, [...(loadedWhole.get(target) ?? []), file.text])
  return files.flatMap(({ path, text }) => {
    if (ENTRIES.test(path)) return []
    const isUsed = (name: string) =>
      used.has(`${path} ${name}`) ||
      used.has(`${COMPUTED} ${name}`) ||
      (loadedWhole.get(path) ?? []).some((importer) => name === 'default' || new RegExp(`\\b${name}\\b`).test(importer)) ||
      // A default export may be loaded by the path of its file, as Playwright loads its set-up.
      (name === 'default' && isNamed(path, files))
    return exportsOf(text)
      .filter((name) => !isUsed(name))
      .map((name) => ({ path, name }))
  })
}

/** Files that no other file imports or names in a string, without the entries of Next, the tests and the npm scripts (`commands`). */
export function findUnusedFiles(files: readonly SourceFile[], commands: string): string[] {
  const imported = new Set(files.flatMap((file) => importsOf(file)))
  return files
    .map((file) => file.path)
    .filter((path) => !ENTRIES.test(path) && !imported.has(path) && !commands.includes(path))
    .filter((path) => !isNamed(path, files))
}

/** Whether another file names this one at the end of a string: `start('server/main.ts')`. */
function isNamed(path: string, files: readonly SourceFile[]): boolean {
  const inString = new RegExp(`['"\`/]${(path.split('/').at(-1) ?? '').replaceAll('.', '\\.')}['"\`]`)
  return files.some((file) => file.path !== path && inString.test(file.text))
}

function exportsOf(text: string): string[] {
  const code = withoutComments(text)
  const declared = Array.from(code.matchAll(DECLARATION), (match) => (match[0].includes('default') ? 'default' : (match[1] ?? '')))
  const listed = [...code.matchAll(LIST)].flatMap((match) => namesOf(match[1] ?? '').map(([name, alias]) => alias ?? name))
  return [...declared, ...listed]
}

/** `path name` for each name that a file imports from one of ours. */
function usesOf({ path, text }: SourceFile): string[] {
  return [...withoutComments(text).matchAll(IMPORT)].flatMap(([, clause = '', specifier = '']) => {
    const target = specifier.startsWith('${') ? COMPUTED : resolveImport(path, specifier)
    const named = namesOf(/\{([\s\S]*)\}/.exec(clause)?.[1] ?? '').map(([name]) => name)
    const isDefault = /^\w/.test(clause)
    return [...named, ...(isDefault ? ['default'] : [])].map((name) => `${target} ${name}`)
  })
}

function wholeImportsOf({ path, text }: SourceFile): string[] {
  const code = withoutComments(text)
  const namespaces = [...code.matchAll(IMPORT)].filter(([, clause = '']) => clause.startsWith('*')).map(([, , specifier = '']) => specifier)
  const dynamic = Array.from(code.matchAll(DYNAMIC_IMPORT), ([, specifier = '']) => specifier)
  return [...namespaces, ...dynamic].map((specifier) => resolveImport(path, specifier))
}

/** The names in the braces of an import or export, each with its alias. */
function namesOf(list: string): [name: string, alias: string | undefined][] {
  return list
    .split(',')
    .map((part) => part.trim().replace(/^type\s+/, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', alias] = part.split(/\s+as\s+/)
      return [name, alias]
    })
}
