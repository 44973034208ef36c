import path from 'node:path'

/** A source file of this repository: its path from the root, and its text. */
export type SourceFile = { path: string; text: string }

/** Every module that a file imports, types included: our own files as paths from the root, others as written. */
export function importsOf({ path: from, text }: SourceFile): string[] {
  const found = withoutComments(text).matchAll(
    /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  )
  return [...found].map((match) => resolveImport(from, match[1] ?? match[2] ?? match[3] ?? ''))
}

/** An import specifier as a path from the root where it names one of our files, otherwise as written. */
export function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier))
  return specifier
}

/** The text without its comments: what is only mentioned is not imported. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** Groups of files that import each other in a circle, each sorted; type imports count, because readers follow them too. */
export function findCycles(files: readonly SourceFile[]): string[][] {
  const known = new Set(files.map((file) => file.path))
  const graph = new Map(files.map((file) => [file.path, importsOf(file).filter((target) => known.has(target))]))
  // Tarjan: a component with more than one file is a circle.
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  function visit(file: string): number {
    const place = order.size
    order.set(file, place)
    lowest.set(file, place)
    stack.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) lowest.set(file, Math.min(lowest.get(file) ?? place, visit(target)))
      else if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? place, order.get(target) ?? place))
    }
    if (lowest.get(file) === place) {
      const component = stack.splice(stack.indexOf(file))
      if (component.length > 1) cycles.push(component.sort())
    }
    return lowest.get(file) ?? place
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles.sort()
}
