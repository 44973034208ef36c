import type { AttackCase, StatusRule } from '#e2e/attack/case.ts'
import type { Answer } from '#e2e/attack/wire/answer-reader.ts'
import type { Outcome } from '#e2e/attack/wire/perform.ts'

const ERROR_FIELDS = ['timestamp', 'status', 'error', 'message', 'path'] as const
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/
const API_PATH = /^\/(?:api\/v[12]|public)(?:\/|$)/
const CODED_PATH = /^\/api\/v2(?:\/|$)/
const CODE = /^[a-z0-9_]{2,60}$/
// A stack trace or SQL in an answer tells an attacker what to try next.
const INNARDS =
  /\bat \S+ \((?:file|\/|node:)|node_modules|\/server\/\w+\.ts|\b(?:select|SELECT) [\w*,. ]{1,80} (?:from|FROM) \w|syntax error at or near|violates \w+ constraint/

/** Everything that is wrong with what came of a case, one sentence each. Knows only the case's expectation, not how it was made. */
export function judgeAnswers({ expect, methods }: AttackCase, outcome: Outcome): string[] {
  const problems: string[] = []
  if (outcome.garbage !== undefined) problems.push(`the answer is not HTTP: ${JSON.stringify(outcome.garbage)}`)
  const { answers } = outcome
  for (const [index, answer] of answers.entries()) {
    const rules = expect.statuses[Math.min(index, expect.statuses.length - 1)] ?? []
    problems.push(...judgeAnswer(answer, { rules, overload: expect.overload, path: expect.path, isHead: methods[index] === 'HEAD' }))
  }
  const answersMax = expect.answersMax ?? expect.answers
  if (answers.length > answersMax) problems.push(`answered ${answers.length} times instead of ${answersMax}`)
  if (answers.length < expect.answers && expect.silence === undefined && !outcome.wasCutByUs)
    problems.push(describeSilence(outcome, expect.limitMs))
  // A peer that closes politely in the middle of an answer left the client with half of it.
  else if (outcome.isHalfAnswered && outcome.ending === 'closed' && expect.silence === undefined && !outcome.wasCutByUs)
    problems.push('the answer ended in the middle')
  if (answers.length >= expect.answers && outcome.durationMs > expect.limitMs)
    problems.push(`the answer came after ${Math.round(outcome.durationMs)} ms`)
  if (problems.length === 0 && answers.length > 0) {
    const found = expect.inspect?.(answers)
    if (found !== undefined) problems.push(found)
  }
  return problems
}

type AnswerRules = { rules: readonly StatusRule[]; overload: string | undefined; path: string | undefined; isHead: boolean }

function judgeAnswer(answer: Answer, { rules, overload, path, isHead }: AnswerRules): string[] {
  const problems: string[] = []
  const isOverload = answer.status === 503 && overload !== undefined
  if (answer.status >= 500 && !isOverload && !rules.includes(answer.status))
    problems.push(`answered ${answer.status}: ${answer.body.slice(0, 160)}`)
  else if (!isOverload && !rules.some((rule) => matches(rule, answer.status)))
    problems.push(`answered ${answer.status} instead of ${rules.join(' or ')}: ${answer.body.slice(0, 160)}`)
  if (INNARDS.test(answer.body) && answer.status >= 400) problems.push(`the answer tells of its inside: ${INNARDS.exec(answer.body)?.[0]}`)
  const mustHaveFields = path !== undefined && API_PATH.test(path)
  if (answer.status >= 400 && mustHaveFields && !isHead) problems.push(...judgeErrorBody(answer, path))
  return problems
}

function matches(rule: StatusRule, status: number): boolean {
  return typeof rule === 'number' ? rule === status : Number(rule[0]) === Math.floor(status / 100)
}

/** The five fields, their types, and that they say what the answer's head says. A code in version 2, and only there. */
function judgeErrorBody(answer: Answer, path: string): string[] {
  if (!/^application\/json(?:;|$)/.test(answer.headers['content-type'] ?? ''))
    return [`an error as ${answer.headers['content-type'] ?? 'no type at all'}`]
  let body: unknown
  try {
    body = JSON.parse(answer.body)
  } catch {
    return [`an error that is not JSON: ${answer.body.slice(0, 80)}`]
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['an error that is not a JSON object']
  const fields = body as Record<string, unknown>
  const problems: string[] = []
  const missing = ERROR_FIELDS.filter((name) => fields[name] === undefined)
  if (missing.length > 0) return [`an error without ${missing.join(', ')}`]
  if (typeof fields['timestamp'] !== 'string' || !INSTANT.test(fields['timestamp']))
    problems.push('the timestamp of an error is not an instant')
  if (fields['status'] !== answer.status) problems.push(`the status of an error is ${String(fields['status'])} and not ${answer.status}`)
  for (const name of ['error', 'message'] as const)
    if (typeof fields[name] !== 'string' || fields[name] === '') problems.push(`${name} of an error is not text`)
  if (fields['path'] !== path) problems.push(`the path of an error is ${JSON.stringify(fields['path'])} and not ${JSON.stringify(path)}`)
  const isCoded = typeof fields['code'] === 'string' && CODE.test(fields['code'])
  if (CODED_PATH.test(path) ? !isCoded : fields['code'] !== undefined)
    problems.push(`the code of an error is ${JSON.stringify(fields['code'])}`)
  return problems
}

function describeSilence({ ending, answers, isHalfAnswered, durationMs }: Outcome, limitMs: number): string {
  const so = isHalfAnswered ? 'half an answer' : answers.length === 0 ? 'no answer' : `only ${answers.length} answers`
  if (ending === 'open') return `${so} within ${limitMs} ms`
  return `${so}: the connection was ${ending} after ${Math.round(durationMs)} ms`
}
