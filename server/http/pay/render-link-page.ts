import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRIES, OPERATORS } from '#lib/operators/operators.ts'
import type { LinkObstacle } from '#lib/payments/payment-links.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { zoneOfOperators } from '#lib/time/time-zones.ts'
import type { CustomerLink } from '#server/payment-links/payment-link-store.ts'
import type { EnteredField } from '#server/payment-links/read-entered-payment.ts'
import { escapeHtml, LOGO_PATH, renderDocument } from './pay-document.ts'
import { renderContact, translateFor, WALLETS } from './render-pay-page.ts'

/** The form as it was typed, which the page shows again, and what is wrong with it. */
export type LinkForm = {
  attempt: string
  operator: string
  phoneNumber: string
  customerName: string
  amount: string
  fields: readonly EnteredField[]
  /** Why it was refused as a whole, in words. */
  problem: string | undefined
}

const OBSTACLES: Readonly<Record<Exclude<LinkObstacle, 'not_found'>, MessageKey>> = {
  paid: 'pay.link.paid',
  closed: 'pay.link.closed',
  expired: 'pay.link.expired',
  not_allowed: 'pay.link.closed',
  in_progress: 'pay.link.inProgress',
  in_doubt: 'pay.link.inDoubt',
}

/** Renders the page of a link: the form of a customer, or why the link accepts no payment. */
export function renderLink(link: CustomerLink, form: LinkForm, locale: Locale): string {
  const t = translateFor(locale)
  const { applicationName, obstacle, support } = link
  const content =
    `<h1>${escapeHtml(t('pay.title', { name: applicationName }))}</h1>` +
    renderAmount(link, locale) +
    `<dl><div><dt>${escapeHtml(t('pay.purpose'))}</dt><dd>${escapeHtml(link.purpose)}</dd></div></dl>` +
    (obstacle === null ? renderForm(link, form, t, locale) : renderObstacle(link, obstacle, t)) +
    (support === null ? '' : `<p class="quiet">${escapeHtml(t('pay.support'))} ${renderContact(support)}</p>`)
  return renderDocument({
    content,
    title: t('pay.title', { name: applicationName }),
    name: applicationName,
    logo: link.logoDigest === null ? null : `${LOGO_PATH}/${link.logoDigest}`,
    foot: t('pay.by'),
    locale,
    state: null,
    refreshS: undefined,
  })
}

function renderAmount({ amountMinor, currency }: CustomerLink, locale: Locale): string {
  if (amountMinor === null) return ''
  return `<p class="amount">${formatAmount(formatMinor(amountMinor), locale)} <small>${currency}</small></p>`
}

function renderObstacle(link: CustomerLink, obstacle: LinkObstacle, t: Translate): string {
  if (obstacle === 'not_found') return ''
  const isPaid = obstacle === 'paid'
  const facts: [MessageKey, string | null][] = [
    ['pay.paidAt', link.paidAt && formatTime(t, zoneOfOperators(link.operators), link.paidAt, 'full')],
    ['pay.operatorId', link.operatorReference],
  ]
  const rows = facts.map(([key, value]) =>
    isPaid && value !== null ? `<div><dt>${escapeHtml(t(key))}</dt><dd>${escapeHtml(value)}</dd></div>` : '',
  )
  const text = t(OBSTACLES[obstacle], { name: link.applicationName })
  return (
    (isPaid ? `<p class="state ok">${escapeHtml(t('pay.paid'))}</p>` : '') +
    `<p>${escapeHtml(text)}</p>${rows.some((row) => row !== '') ? `<dl>${rows.join('')}</dl>` : ''}` +
    (obstacle === 'in_progress' ? `<p class="quiet"><a href="">${escapeHtml(t('pay.refresh'))}</a></p>` : '')
  )
}

function renderForm(link: CustomerLink, form: LinkForm, t: Translate, locale: Locale): string {
  return (
    (form.problem === undefined ? '' : `<p class="state bad" role="alert">${escapeHtml(form.problem)}</p>`) +
    `<form method="post" action="?lang=${locale}"><input type="hidden" name="attempt" value="${escapeHtml(form.attempt)}">` +
    (link.amountMinor === null ? renderAmountField(link, form, t, locale) : '') +
    renderOperators(link, form, t) +
    renderField(form, 'phoneNumber', `inputmode="tel" autocomplete="tel" maxlength="40"`, {
      label: t('pay.link.number'),
      hint: t('pay.link.numberHint', { dialCode: COUNTRIES[link.country].dialCode }),
      wrong: t('pay.link.wrongNumber', { country: t(`country.${link.country}`) }),
    }) +
    renderField(form, 'customerName', `autocomplete="name" maxlength="200"`, {
      label: t('pay.link.name'),
      hint: '',
      wrong: t('pay.link.wrongName'),
    }) +
    `<p><button class="button">${escapeHtml(t('pay.link.pay'))}</button></p></form>`
  )
}

function renderAmountField(link: CustomerLink, form: LinkForm, t: Translate, locale: Locale): string {
  const text = (amountMinor: bigint | null) => formatAmount(formatMinor(amountMinor ?? 0n), locale)
  const hint = t('pay.link.amountHint', { minimum: text(link.minimumMinor), maximum: text(link.maximumMinor), currency: link.currency })
  const label = t('pay.link.amount', { currency: link.currency })
  return renderField(form, 'amount', `inputmode="decimal" autocomplete="off" maxlength="20"`, { label, hint, wrong: hint })
}

/** One operator is chosen already. */
function renderOperators({ operators }: CustomerLink, form: LinkForm, t: Translate): string {
  const isWrong = form.fields.includes('operator')
  const [only] = operators.length === 1 ? operators : []
  const choices = operators.map(
    (code) =>
      `<label class="choice"><input type="radio" name="operator" value="${code}" required${code === (only ?? form.operator) ? ' checked' : ''}> ` +
      `${escapeHtml(WALLETS[OPERATORS[code].brand])}</label>`,
  )
  return (
    `<fieldset><legend>${escapeHtml(t('pay.link.operator'))}</legend>` +
    `${isWrong ? `<p class="state bad">${escapeHtml(t('pay.link.wrongOperator'))}</p>` : ''}${choices.join('')}</fieldset>`
  )
}

function renderField(
  form: LinkForm,
  name: Exclude<EnteredField, 'operator'>,
  attributes: string,
  { label, hint, wrong }: { label: string; hint: string; wrong: string },
): string {
  const isWrong = form.fields.includes(name)
  const note = isWrong ? wrong : hint
  return (
    `<p><label for="${name}">${escapeHtml(label)}</label>` +
    `<input id="${name}" name="${name}" value="${escapeHtml(form[name])}" required ${attributes}` +
    `${isWrong ? ' aria-invalid="true"' : ''}${note === '' ? '' : ` aria-describedby="${name}-note"`}>` +
    `${note === '' ? '' : `<span id="${name}-note" class="${isWrong ? 'bad' : 'quiet'}">${escapeHtml(note)}</span>`}</p>`
  )
}
