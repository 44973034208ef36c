/** The columns of a recognised header: the place of each name. The second column of a name is `<name> 2`. */
export type Columns = ReadonlyMap<string, number>

/** Whether a row, or a row together with the one below it, is the header of a format. */
export type HeaderMatch = { kind: 'columns'; columns: Columns } | { kind: 'moved'; found: string[] } | { kind: 'other' }

/** A name ending with this may be missing; `*` in a name is any text. */
const OPTIONAL = '?'

/**
 * Compares a header with the columns of a format, in their order: many formats repeat a name, so a column is known by its place. Letter case,
 * spaces and accents do not count, because files arrive with headers in broken UTF-8. `moved`: most columns are there, and one is missing, new
 * or at another place, so no column may be trusted.
 */
export function matchHeader(expected: readonly string[], rows: readonly (readonly string[])[]): HeaderMatch {
  const width = Math.max(...rows.map(lengthOf))
  // A header over two rows: the name of a column is in either row.
  const candidates = Array.from({ length: width }, (_, place) => rows.map((row) => clean(row[place])).filter((text) => text !== ''))
  const columns = new Map<string, number>()
  let place = 0
  for (const column of expected) {
    const name = column.endsWith(OPTIONAL) ? column.slice(0, -1) : column
    if (candidates[place]?.some((text) => patternOf(name).test(text))) {
      columns.set(columns.has(name) ? `${name} 2` : name, place)
      place++
    } else if (name === column) return isNear(expected, candidates) ? { kind: 'moved', found: namesOf(rows) } : { kind: 'other' }
  }
  return place === width ? { kind: 'columns', columns } : { kind: 'moved', found: namesOf(rows) }
}

const NEAR_SHARE = 0.6

function isNear(expected: readonly string[], candidates: readonly (readonly string[])[]): boolean {
  const names = expected.filter((name) => !name.endsWith(OPTIONAL))
  const found = names.filter((name) => candidates.some((texts) => texts.some((text) => patternOf(name).test(text))))
  return found.length >= names.length * NEAR_SHARE && found.length >= 4
}

function namesOf(rows: readonly (readonly string[])[]): string[] {
  const longest = rows.reduce((left, right) => (lengthOf(right) > lengthOf(left) ? right : left))
  return longest.slice(0, lengthOf(longest))
}

function lengthOf(row: readonly string[]): number {
  return row.findLastIndex((cell) => cell.trim() !== '') + 1
}

function clean(text = ''): string {
  return text
    .normalize('NFC')
    .replace(/^[\ufeff"']+|["']+$/g, '')
    .trim()
    .toLowerCase()
}

const patterns = new Map<string, RegExp>()

/** A letter with an accent is that letter, nothing, or up to four signs that are no letters: `é`, `e`, `Ã©`, `�`. */
function patternOf(name: string): RegExp {
  const known = patterns.get(name)
  if (known) return known
  const source = [...name.normalize('NFC').toLowerCase()]
    .map((sign) => {
      if (/[a-z0-9]/.test(sign)) return sign
      if (sign === '*') return '.*'
      if (/[\s_]/.test(sign)) return '[\\s_]*'
      const base = sign.normalize('NFD').replace(/[^a-z]/g, '')
      return base === '' ? '[^a-z0-9]{0,4}' : `(?:${base}|[^a-z0-9]{0,4})`
    })
    .join('')
  const pattern = new RegExp(`^${source}$`)
  patterns.set(name, pattern)
  return pattern
}
