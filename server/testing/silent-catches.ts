import type { SourceFile } from './import-graph.ts'

type SilentCatch = { path: string; line: number; text: string }

/** Where an error may end: a `catch` block, `.catch(…)`, the second function of `.then(…)`, a listener of `error`. */
const CATCHES = /\bcatch\s*(?:\((\w+)[^)]*\)\s*)?\{|\.catch\(|\.then\(|\.on(?:ce)?\(\s*['"]error['"]\s*,/g
/** A function that does not take the error. */
const IGNORES_ERROR = /^\s*(?:async\s+)?\(\s*(?:_\w*)?\s*\)\s*=>|^\s*function\s*\w*\(\s*\)/

/**
 * Every place that silently drops an error: the error is not used, nothing is thrown, and no comment in it or directly
 * above it says why that is an expected outcome.
 */
export function findSilentCatches(files: readonly SourceFile[]): SilentCatch[] {
  return files.flatMap((file) => {
    const code = blankComments(file.text)
    return [...code.matchAll(CATCHES)].flatMap((match) => {
      const start = match.index + match[0].length
      const end = endOf(code, start)
      if (!isSilent(match[0], code.slice(start, end), match[1]) || isExplained(file.text, match.index, end)) return []
      const line = file.text.slice(0, match.index).split('\n').length
      return [{ path: file.path, line, text: file.text.split('\n')[line - 1]?.trim() ?? '' }]
    })
  })
}

/** `name`: the variable of a `catch` block that binds the error. */
function isSilent(opening: string, body: string, name: string | undefined): boolean {
  if (opening.startsWith('catch')) return !/\bthrow\b|\breportUnexpected\(/.test(body) && !(name && new RegExp(`\\b${name}\\b`).test(body))
  const handler = opening === '.then(' ? argumentsOf(body)[1] : body
  return handler !== undefined && IGNORES_ERROR.test(handler) && !/\bthrow\b|\breportUnexpected\(/.test(handler)
}

function isExplained(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf('\n', start) + 1
  const lineEnd = text.indexOf('\n', end)
  const before =
    text
      .slice(0, Math.max(0, lineStart - 1))
      .split('\n')
      .at(-1) ?? ''
  const own = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd)
  return /^\s*(?:\/\/|\*\/|\*)/.test(before) || blankComments(own) !== own
}

/** The index of the bracket that closes the one before `start`. */
function endOf(code: string, start: number): number {
  let depth = 1
  let index = start
  for (; index < code.length && depth > 0; index++) {
    const character = code.charAt(index)
    if ('({['.includes(character)) depth++
    else if (')}]'.includes(character)) depth--
  }
  return index - 1
}

function argumentsOf(body: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of body) {
    if ('({['.includes(character)) depth++
    else if (')}]'.includes(character)) depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** The same text with spaces in place of comments and of the brackets in strings, so that every index stays the same. */
function blankComments(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*(?=[\s.,;)\]])/g,
    (found) => (found.startsWith('/*') || found.startsWith('//') ? found.replace(/[^\n]/g, ' ') : found.replace(/[(){}[\]]/g, '_')),
  )
}
