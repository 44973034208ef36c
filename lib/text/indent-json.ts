/** A text of JSON, a bracket or comma or colon outside of texts, or anything else that is not blank. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g

/**
 * Returns JSON over several lines. Texts and numbers stay as they were written, so that 5000.10 is not shown as 5000.1. What is not JSON is
 * returned unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text
  let depth = 0
  let written = ''
  let before = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpening = before === '{' || before === '['
    if (token === '}' || token === ']') {
      depth--
      written += isOpening ? token : newLine() + token
    } else {
      written += isOpening || before === ',' ? newLine() + token : before === ':' ? ` ${token}` : token
      if (token === '{' || token === '[') depth++
    }
    before = token
  }
  return written
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Shown as it was sent.
    return false
  }
}
