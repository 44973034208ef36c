/** Returns a function that finds the entry of a table for the segments of a path, with its variable segments (`[batchId]`) by name. */
export function createFinder<Value>(
  table: Readonly<Record<string, Value>>,
): (path: readonly string[]) => { value: Value; segments: Record<string, string> } | undefined {
  const patterns = Object.entries(table).map(([pattern, value]) => ({ parts: pattern.split('/'), value }))
  return (path) => {
    for (const { parts, value } of patterns) {
      const segments = match(parts, path)
      if (segments) return { value, segments }
    }
    return undefined
  }
}

function match(parts: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  if (parts.length !== path.length) return undefined
  const segments: Record<string, string> = {}
  for (const [index, part] of parts.entries()) {
    const found = path[index] ?? ''
    if (part.startsWith('[')) segments[part.slice(1, -1)] = found
    else if (part !== found) return undefined
  }
  return segments
}
