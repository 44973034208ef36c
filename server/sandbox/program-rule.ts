import { OPERATORS } from '#lib/operators/operators.ts'
import { DEPOSIT_REQUEST } from '#server/http/openapi/examples.ts'
import { SECOND_RULES, SEED_APPLICATIONS } from './seed-applications.ts'

/** Which deposits of a program wait for approval in the sandbox. */
export type ProgramRule = { application: string; rule: string; limit: number; currency: string; checker: string }

/** The rule of the seeded application whose program must wait for a checker, in the currency of the example of a deposit. */
export function readProgramRule(): ProgramRule {
  const { currency } = OPERATORS[DEPOSIT_REQUEST.transferMethod].country
  const [, application] = SEED_APPLICATIONS
  const rule = SECOND_RULES.find(({ sources, apiMayDecide }) => sources.includes('api') && apiMayDecide)
  const limitMinor = rule?.limits?.[currency]
  const checker = application?.people.find(({ roles }) => roles.includes('checker'))
  if (!application || !rule || !limitMinor || !checker) throw new Error('No deposit of a program waits in the sandbox')
  return { application: application.name, rule: rule.name, limit: Number(limitMinor) / 100, currency, checker: checker.name }
}
