import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { GUIDES, type Guide } from '#lib/partner/guides.ts'
import type { SearchEntry } from '#lib/partner/search-index.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { MESSAGES } from '#server/messages.ts'
import { SIMULATED_OUTCOMES } from '#server/operators/simulator/behaviour.ts'
import { allCauses, readReference } from './read-reference.ts'

const indexes = new Map<Locale, SearchEntry[]>()

/**
 * Everything that the search finds, for readers of a language: operations, their fields, guides, causes of errors, operators and simulated
 * outcomes. The guides are in that language; what comes from the OpenAPI document is in English.
 */
export function readSearchIndex(locale: Locale): SearchEntry[] {
  const known = indexes.get(locale)
  if (known) return known
  const inEnglish = locale === 'en' ? {} : ({ lang: 'en' } as const)
  const document = [...findOperations(), ...findWebhook(), ...findCauses(), ...findTables()].map((entry) => ({ ...entry, ...inEnglish }))
  const entries = [...document, ...findGuides(locale)]
  indexes.set(locale, entries)
  return entries
}

function findOperations(): SearchEntry[] {
  const operations = [...readReference().operations.values()]
  return [
    ...operations.map(({ id, method, path, summary }) => ({ title: summary, where: `${method} ${path}`, href: paths.docs(id) })),
    ...operations.flatMap(({ id, parameters, body, answer }) => [
      ...parameters.map(({ name }) => ({ title: name, where: `${id} · query`, href: `${paths.docs(id)}#query-${name}` })),
      ...(body?.fields ?? []).map(({ name }) => ({ title: name, where: `${id} · body`, href: `${paths.docs(id)}#body-${name}` })),
      ...answer.fields.map(({ name }) => ({ title: name, where: `${id} · response`, href: `${paths.docs(id)}#response-${name}` })),
    ]),
  ]
}

function findGuides(locale: Locale): SearchEntry[] {
  const t = createTranslate(locale, MESSAGES[locale])
  return (Object.keys(GUIDES) as Guide[]).flatMap((guide) => {
    const address = paths.docs(guide === 'start' ? undefined : guide)
    const name = t(`docs.guide.${guide}`)
    const sections = GUIDES[guide].map(([id, title]) => ({ title: t(title), where: name, href: `${address}#${id}` }))
    return [{ title: name, where: t('guides.guide'), href: address }, ...sections]
  })
}

function findWebhook(): SearchEntry[] {
  const { webhook } = readReference()
  return [
    ...webhook.fields.map(({ name }) => ({ title: name, where: 'Webhook · body', href: `${paths.docs('webhooks')}#body-${name}` })),
    ...webhook.headers.map(({ name }) => ({ title: name, where: 'Webhook · header', href: `${paths.docs('webhooks')}#header-${name}` })),
  ]
}

function findCauses(): SearchEntry[] {
  return allCauses().map(({ key, status, cause }) => ({ title: cause, where: `Error ${status}`, href: `${paths.docs('errors')}#${key}` }))
}

function findTables(): SearchEntry[] {
  const operators = Object.values(OPERATORS).map(({ code, brand, country }) => ({
    title: `${code}: ${brand}, ${country.name}`,
    where: 'Operator',
    href: `${paths.docs('operators')}#${code}`,
  }))
  const outcomes = SIMULATED_OUTCOMES.map(({ digits, status, message }) => ({
    title: `…${digits}: ${status}${message ? `, ${message}` : ''}`,
    where: 'Sandbox',
    href: `${paths.docs('sandbox')}#n${digits}`,
  }))
  const messages = Object.values(FAILURE_MESSAGES).map((title) => ({
    title,
    where: 'Why a transaction failed',
    href: `${paths.docs('states')}#messages`,
  }))
  return [...operators, ...messages, ...outcomes]
}
