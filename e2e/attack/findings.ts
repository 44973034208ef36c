/** A forbidden behaviour of the service. */
export type Finding = {
  rule: Rule
  /** The problem, in one sentence. */
  what: string
  /** An example request. */
  sent?: string
  /** The numbers of the requests in progress at the time, the most likely first; empty where no request of the plan was. */
  numbers: readonly number[]
  /** The kind of case, to tell the same finding from another one. */
  kind: string
}

/** Everything that a run promises, in the order of the report. */
export const RULES = {
  answers: 'every request got an answer that its case allows, in time, with the five fields where they are due',
  loop: 'the event loop was never blocked for more than 250 ms',
  memory: 'no process held more than 350 MB, and none holds it afterwards',
  process: 'no process ended',
  rows: 'refused requests wrote no row, accepted ones are there',
  books: 'the books balance (npm run verify)',
  bystanders: 'well-behaved clients are still served',
} as const
export type Rule = keyof typeof RULES

/** The same thing seen many times. */
type FindingGroup = Finding & { times: number }

/** Puts the same findings together: one rule, one kind of case, one sentence but for its numbers and what it quotes. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>()
  for (const finding of findings) {
    const quoteless = finding.what.replace(/^(answered \d+[^:]*):.*$/s, '$1').replaceAll(/"[^"]*"/g, '"…"')
    const key = `${finding.rule} ${finding.kind} ${/^answered/.test(quoteless) ? quoteless : quoteless.replaceAll(/[\d.]+/g, '#').slice(0, 80)}`
    const known = groups.get(key)
    if (known) {
      known.times++
      known.numbers = [...known.numbers, ...finding.numbers]
    } else groups.set(key, { ...finding, times: 1 })
  }
  return [...groups.values()]
}
