import type { SourceFile } from './import-graph.ts'

type SilentCatch = { path: string; line: number; text: string }

/** Where an error may end: a `catch` block, `.catch(…)`, the second function of `.then(…)`, a listener of `error`. */
const CATCHES = /\bcatch\s*(?:\((\w+)[^)]*\)\s*)?\{|\.catch\(|\.then\(|\.on(?:ce)?\(\s*['"]error['"]\s*,/g
/** A function that does not take the error. */
const IGNORES_ERROR = /^\s*(?:async\s+)?\(\s*(?:_\w*)?\s*\)\s*=>|^\s*function\s*\w*\(\s*\)/

/** A handler that does nothing and has no value. */
const DOES_NOTHING =
  /^\s*(?:async\s+)?\([^)]*\)\s*=>\s*(?:undefined|void 0|\{\s*\})\s*,?\s*$|^\s*function\s*\w*\([^)]*\)\s*\{\s*\}\s*,?\s*$/
/** How the comment begins that says why an error may be ignored. */
const IGNORED = /^\s*(?:\/\/|\/\*+)\s*Ignored: \S/m

/**
 * Every place that silently drops an error: the error is not used and nothing is thrown. Where something else is done or returned in its place,
 * a comment in it or directly above it says why. Where nothing is, the comment begins with "Ignored:".
 */
export function findSilentCatches(files: readonly SourceFile[]): SilentCatch[] {
  return files.flatMap((file) => {
    const code = blankComments(file.text)
    return [...code.matchAll(CATCHES)].flatMap((match) => {
      const start = match.index + match[0].length
      const end = endOf(code, start)
      const body = code.slice(start, end)
      if (!isSilent(match[0], body, match[1])) return []
      const comments = commentsOf(file.text, code, match.index, end)
      if (isEmpty(match[0], body) ? IGNORED.test(comments) : comments !== '') return []
      const line = file.text.slice(0, match.index).split('\n').length
      return [{ path: file.path, line, text: file.text.split('\n')[line - 1]?.trim() ?? '' }]
    })
  })
}

function isEmpty(opening: string, body: string): boolean {
  if (opening.startsWith('catch')) return body.trim() === ''
  return DOES_NOTHING.test((opening === '.then(' ? argumentsOf(body)[1] : body) ?? '')
}

/** `name`: the variable of a `catch` block that binds the error. */
function isSilent(opening: string, body: string, name: string | undefined): boolean {
  if (opening.startsWith('catch')) return !/\bthrow\b|\breportUnexpected\(/.test(body) && !(name && new RegExp(`\\b${name}\\b`).test(body))
  const handler = opening === '.then(' ? argumentsOf(body)[1] : body
  return handler !== undefined && IGNORES_ERROR.test(handler) && !/\bthrow\b|\breportUnexpected\(/.test(handler)
}

/** The comments in the lines of a catch, and those directly above it. */
function commentsOf(text: string, code: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf('\n', start) + 1
  const lineEnd = text.indexOf('\n', end)
  const above = /(?:^|\n)((?:[ \t]*(?:\/\/|\/\*|\*)[^\n]*\n)+)$/.exec(text.slice(0, lineStart))?.[1] ?? ''
  const own = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd)
  const isComment = (index: number) => code[index] === ' ' && text[index] !== ' '
  const first = [...own].findIndex((_, offset) => isComment(lineStart + offset))
  return above + (first < 0 ? '' : own.slice(first))
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
