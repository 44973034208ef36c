/** A value that the reader replaces: the name of an environment variable. */
type Variable = 'TRANSACTION_ID' | 'CHECKER_ID' | 'API_USER' | 'API_PASSWORD' | 'REFRESH_TOKEN'

/** Text of an example, or what it contains in its place: a variable of the reader, or a new UUID where the language can make one. */
export type SampleText = { text: string } | { variable: Variable } | { newUuid: string }

export type SampleValue = SampleText | number | SampleObject | SampleValue[]
type SampleObject = { object: [name: string, value: SampleValue][] }

/** One call, from which the example of each language is written. */
export type SampleCall = {
  method: 'GET' | 'POST'
  path: string
  isOpen: boolean
  query: [name: string, value: SampleText | number][]
  body: SampleValue | undefined
}

export function isObject(value: SampleValue): value is SampleObject {
  return typeof value === 'object' && !Array.isArray(value) && 'object' in value
}

/** Whether the call makes a new UUID. */
export function makesUuid(value: SampleValue | undefined): boolean {
  if (value === undefined || typeof value === 'number') return false
  if (Array.isArray(value)) return value.some(makesUuid)
  return isObject(value) ? value.object.some(([, each]) => makesUuid(each)) : 'newUuid' in value
}

/** How a language writes values. */
export type Notation = {
  text(value: SampleText): string
  /** Brackets of an object, and its entries. */
  object: [open: string, close: string]
  entry(name: string, value: string): string
}

/** Writes a value over several lines. `indent` is the indentation of the line that it begins on. */
export function writeValue(value: SampleValue, notation: Notation, indent: string, step: string): string {
  if (typeof value === 'number') return String(value)
  const inner = indent + step
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${inner}${writeValue(each, notation, inner, step)},\n`).join('')}${indent}]`
  }
  if (!isObject(value)) return notation.text(value)
  const [open, close] = notation.object
  const entries = value.object.map(([name, each]) => `${inner}${notation.entry(name, writeValue(each, notation, inner, step))},\n`)
  return `${open}\n${entries.join('')}${indent}${close}`
}
