import type { MessageKey } from '#lib/i18n/translate.ts'
import { COUNTRY_NAMES, type CountryName } from '#lib/operators/operators.ts'

/** The place of a country in its guide. */
export function countryPlace(name: CountryName): string {
  return name.toLowerCase().replace('_', '-')
}

/** The guides, in the order of the navigation; the first steps are the page /docs itself. Each section has its place in the page. */
export const GUIDES = {
  start: [
    ['credentials', 'guides.start.credentials.title'],
    ['token', 'guides.start.token.title'],
    ['first-collect', 'guides.start.firstCollect.title'],
    ['result', 'guides.start.result.title'],
    ['go-live', 'guides.start.goLive.title'],
  ],
  // One section for each country of the operators' table.
  countries: COUNTRY_NAMES.map((name) => [countryPlace(name), `country.${name}`] as const),
  authentication: [
    ['credentials', 'guides.authentication.credentials.title'],
    ['headers', 'guides.authentication.headers.title'],
    ['tokens', 'guides.authentication.tokens.title'],
    ['scopes', 'guides.authentication.scopes.title'],
    ['addresses', 'guides.authentication.addresses.title'],
    ['refused', 'guides.authentication.refused.title'],
  ],
  idempotency: [
    ['retry', 'guides.idempotency.retry.title'],
    ['conflict', 'guides.idempotency.conflict.title'],
    ['batch', 'guides.idempotency.batch.title'],
    ['key', 'guides.idempotency.key.title'],
  ],
  approvals: [
    ['rule', 'guides.approvals.rule.title'],
    ['start', 'guides.approvals.start.title'],
    ['checker', 'guides.approvals.checker.title'],
    ['decide', 'guides.approvals.decide.title'],
  ],
  customers: [
    ['steps', 'guides.customers.steps.title'],
    ['page', 'guides.customers.page.title'],
    ['result', 'guides.customers.result.title'],
    ['test', 'guides.customers.test.title'],
  ],
  states: [
    ['graph', 'guides.states.graph.title'],
    ['edges', 'guides.states.edges.title'],
    ['messages', 'guides.states.messages.title'],
  ],
  webhooks: [
    ['payload', 'guides.webhooks.payload.title'],
    ['headers', 'guides.webhooks.headers.title'],
    ['answer', 'guides.webhooks.answer.title'],
    ['schedule', 'guides.webhooks.schedule.title'],
    ['secret', 'guides.webhooks.secret.title'],
    ['verify', 'guides.webhooks.verify.title'],
    ['rotation', 'guides.webhooks.rotation.title'],
    ['local', 'guides.webhooks.local.title'],
  ],
  clients: [
    ['download', 'guides.clients.download.title'],
    ['collect', 'guides.clients.collect.title'],
    ['behaviour', 'guides.clients.behaviour.title'],
    ['errors', 'guides.clients.errors.title'],
    ['webhooks', 'guides.clients.webhooks.title'],
  ],
  errors: [
    ['fields', 'guides.errors.fields.title'],
    ['codes', 'guides.errors.codes.title'],
    ['order', 'guides.errors.order.title'],
    ['retry', 'guides.errors.retry.title'],
    ['causes', 'guides.errors.causes.title'],
  ],
  sandbox: [
    ['numbers', 'guides.sandbox.numbers.title'],
    ['difference', 'guides.sandbox.difference.title'],
  ],
  operators: [
    ['codes', 'guides.operators.codes.title'],
    ['amounts', 'guides.operators.amounts.title'],
    ['phones', 'guides.operators.phones.title'],
  ],
  versions: [
    ['promise', 'guides.versions.promise.title'],
    ['two', 'guides.versions.two.title'],
    ['document', 'guides.versions.document.title'],
    ['changes', 'guides.versions.changes.title'],
  ],
} as const satisfies Record<string, readonly (readonly [id: string, title: MessageKey])[]>

export type Guide = keyof typeof GUIDES

export function isGuide(value: string): value is Guide {
  return Object.hasOwn(GUIDES, value)
}
