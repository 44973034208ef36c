import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * A source file: its path from the root, its text, what it imports (our own files as paths from the root, packages as written), and the names of
 * functions and constants, not of types, that it imports from each or exports again.
 */
export type SourceFile = { path: string; text: string; imports: readonly string[]; values: ReadonlyMap<string, readonly string[]> }

/** All files of these patterns, with their imports. */
export function readSources(...patterns: readonly string[]): SourceFile[] {
  return globSync(patterns).map((file) => toSource(file, readFileSync(file, 'utf8')))
}

/** A file with its imports and re-exports, those of types and `import('…')` included. */
export function toSource(file: string, text: string): SourceFile {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const specifiers = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    // With its quotes; an expression has none, and names no file.
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => /^['"](.*)['"]$/.exec(text.slice(start, end))?.[1] ?? []),
  ]
  const named = [
    ...staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.filter(({ isType }) => !isType).map(({ importName }) => [moduleRequest.value, importName.name ?? '*'] as const),
    ),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, importName, isType }) =>
        moduleRequest && !isType ? [[moduleRequest.value, importName.name ?? '*'] as const] : [],
      ),
    ),
  ]
  const values = Map.groupBy(named, ([specifier]) => resolve(file, specifier))
  return {
    path: file,
    text,
    imports: [...new Set(specifiers.map((specifier) => resolve(file, specifier)))],
    values: new Map([...values].map(([target, entries]) => [target, entries.map(([, name]) => name)])),
  }
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(from), specifier)
  return specifier
}
