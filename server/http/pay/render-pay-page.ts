import { createHash } from 'node:crypto'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { returnAddress } from '#lib/partner/customer-page.ts'
import { paymentLinkPath } from '#lib/payments/payment-links.ts'
import { FAILURE_MESSAGES, isFinalStatus } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { zoneOfOperators } from '#lib/time/time-zones.ts'
import { MESSAGES } from '#server/messages.ts'
import { NUMBER_MESSAGES } from '#server/operators/answer-table.ts'
import type { CustomerPayment } from '#server/operators/customer-step/customer-link-store.ts'
import { drawQrCode, escapeHtml, LOGO_PATH, renderDocument, renderMain } from './pay-document.ts'

/**
 * `needsLink`: the operator wants the customer to follow a link, which may not be there yet. `dial`: it wants a code, which the customer
 * gets by dialling this, of `codeLength` digits if its codes have one length. `isMalformed`: the last entry is not a code.
 */
export type PaymentView = CustomerPayment & {
  payToken: string
  needsLink: boolean
  dial: string | undefined
  codeLength: number | undefined
  isMalformed: boolean
}

const TRANSLATES: Readonly<Record<Locale, Translate>> = {
  en: createTranslate('en', MESSAGES.en),
  fr: createTranslate('fr', MESSAGES.fr),
}

/** The texts of the pages of customers in a language. */
export function translateFor(locale: Locale): Translate {
  return TRANSLATES[locale]
}

/** The name of each brand among its customers. */
export const WALLETS = {
  Orange: 'Orange Money',
  MTN: 'MTN MoMo',
  Wave: 'Wave',
  Free: 'Free Money',
  Moov: 'Moov Money',
  Airtel: 'Airtel Money',
} as const

const REASONS: Readonly<Record<string, MessageKey>> = {
  [FAILURE_MESSAGES.insufficientFunds]: 'pay.insufficientFunds',
  [FAILURE_MESSAGES.invalidNumber]: 'pay.invalidNumber',
  [FAILURE_MESSAGES.cancelledByCustomer]: 'pay.cancelledByCustomer',
  [FAILURE_MESSAGES.operatorTimeout]: 'pay.operatorTimeout',
  [FAILURE_MESSAGES.notRegistered]: 'pay.notRegistered',
  [NUMBER_MESSAGES.occupied]: 'pay.numberOccupied',
  [NUMBER_MESSAGES.blocked]: 'pay.numberBlocked',
  [NUMBER_MESSAGES.spent]: 'pay.threeCodes',
}

/**
 * A text that changes with what the page shows, apart from times: null once nothing can change. It tells a waiting page whether to read itself
 * again, in a few bytes.
 */
export function stateOf({ status, customerLink, awaitsCode, refusedCodes, triesLeft }: PaymentView): string | null {
  if (isFinalStatus(status)) return null
  return createHash('sha256')
    .update(JSON.stringify([status, customerLink, awaitsCode, refusedCodes, triesLeft]))
    .digest('base64url')
    .slice(0, 12)
}

/** Renders the page of a payment. It states nothing that the request for the payment did not contain, and the number only in part. */
export function renderPayment(payment: PaymentView, locale: Locale): string {
  const t = TRANSLATES[locale]
  const { applicationName } = payment
  const state = stateOf(payment)
  return renderDocument({
    content: renderContent(payment, locale),
    title: t('pay.title', { name: applicationName }),
    name: applicationName,
    logo: payment.logoDigest === null ? null : `${LOGO_PATH}/${payment.logoDigest}`,
    foot: t('pay.by'),
    locale,
    state,
    // Not while a code is typed: without script, refreshing would empty the field.
    refreshS: state === null || payment.awaitsCode ? undefined : refreshS(payment.ageMs),
  })
}

/** Renders what an open page shows instead of its content: without the styles, which it has already. */
export function renderNewContent(payment: PaymentView, locale: Locale): string {
  return renderMain(renderContent(payment, locale), stateOf(payment))
}

function renderContent(payment: PaymentView, locale: Locale): string {
  const t = TRANSLATES[locale]
  const { applicationName, page } = payment
  const state = stateOf(payment)
  return (
    `<h1>${escapeHtml(t('pay.title', { name: applicationName }))}</h1>` +
    `<p class="amount">${formatAmount(formatMinor(payment.amountMinor), locale)} <small>${payment.currency}</small></p>` +
    `<div role="status">${renderStep(payment, t, locale)}</div>` +
    renderFacts(payment, t) +
    (payment.customerLink === null || state === null ? '' : renderScan(payment.customerLink, walletOf(payment), t)) +
    (page.support === null ? '' : `<p class="quiet">${escapeHtml(t('pay.support'))} ${renderContact(page.support)}</p>`) +
    (state === null ? '' : renderRefresh(payment, t))
  )
}

/** Everything with which a customer can show at a counter what was paid. */
function renderFacts(payment: PaymentView, t: Translate): string {
  const { finalAt, status, operator } = payment
  const zone = zoneOfOperators([operator])
  const facts: [MessageKey, string | null][] = [
    ['pay.requestedBy', payment.applicationName],
    ['pay.purpose', payment.purpose === '' ? null : payment.purpose],
    ['pay.paidAt', status === 'SUCCESS' && finalAt ? formatTime(t, zone, finalAt, 'full') : null],
    ['pay.operator', walletOf(payment)],
    ['pay.number', t('pay.numberEnds', { digits: payment.phoneNumber.slice(-3) })],
    ['pay.operatorId', status === 'SUCCESS' ? payment.operatorReference : null],
    ['pay.reference', payment.externalId],
  ]
  const rows = facts.map(([key, value]) =>
    value === null
      ? ''
      : `<div><dt>${escapeHtml(t(key))}</dt><dd${key === 'pay.reference' ? ' class="small"' : ''}>${escapeHtml(value)}</dd></div>`,
  )
  return `<dl>${rows.join('')}</dl>`
}

/** A contact that a telephone can call, write to or open. */
export function renderContact(support: string): string {
  const text = escapeHtml(support)
  if (/^https:\/\/[^\s"]+$/.test(support)) return `<a href="${text}">${text}</a>`
  if (/^[^\s@"]+@[^\s@"]+$/.test(support)) return `<a href="mailto:${text}">${text}</a>`
  const digits = support.replaceAll(/[ .()-]/g, '')
  return /^\+?\d{4,15}$/.test(digits) ? `<a class="dial" href="tel:${digits}">${text}</a>` : text
}

/** Renders what every other token shows. */
export function renderGone(locale: Locale): string {
  const t = TRANSLATES[locale]
  const content = `<h1>${escapeHtml(t('pay.goneTitle'))}</h1><p>${escapeHtml(t('pay.goneText'))}</p>`
  const title = t('pay.goneTitle')
  return renderDocument({ content, title, name: 'Countersign', logo: null, foot: '', locale, state: null, refreshS: undefined })
}

/** While a code is awaited, the page refreshes only with script, and says nothing of it. */
function renderRefresh({ awaitsCode }: PaymentView, t: Translate): string {
  const live = awaitsCode ? '' : `${escapeHtml(t('pay.live'))} `
  return `<p class="quiet">${live}<a href="">${escapeHtml(t('pay.refresh'))}</a></p>`
}

function walletOf({ operator }: PaymentView): string {
  return WALLETS[OPERATORS[operator].brand]
}

function renderStep(payment: PaymentView, t: Translate, locale: Locale): string {
  const { status, message, customerLink, needsLink, dial } = payment
  const wallet = walletOf(payment)
  if (status === 'SUCCESS') return renderPaid(payment, t, locale)
  if (status === 'FAILED') {
    const reason = t(REASONS[message ?? ''] ?? 'pay.refused')
    const again = payment.page.offersRetry || payment.linkToken !== null ? '' : ` ${t('pay.askAgain', { name: payment.applicationName })}`
    return `${state('bad', t('pay.notPaid'))}<p>${escapeHtml(reason + again)}</p>${renderReturn(payment, t)}`
  }
  if (customerLink !== null)
    return (
      `<p>${escapeHtml(t('pay.follow', { wallet }))}</p>` +
      `<p><a class="button" rel="noreferrer" href="${escapeHtml(customerLink)}">${escapeHtml(t('pay.open', { wallet }))}</a></p>`
    )
  if (dial !== undefined && status === 'PENDING')
    return payment.awaitsCode ? renderCode(payment, dial, t, locale) : `<p>${escapeHtml(t('pay.processing'))}</p>`
  const isReady = status === 'PENDING' && !needsLink
  return `<p>${escapeHtml(isReady ? t('pay.confirm', { wallet }) : t('pay.preparing'))}</p>`
}

/** The end of a payment: a receipt that the customer can keep, and the way back. */
function renderPaid(payment: PaymentView, t: Translate, locale: Locale): string {
  const amount = `${formatAmount(formatMinor(payment.amountMinor), locale)} ${payment.currency}`
  const at = payment.finalAt ? formatTime(t, zoneOfOperators([payment.operator]), payment.finalAt, 'full') : ''
  const receipt = t('pay.receipt', {
    ...{ amount, at, name: payment.applicationName, wallet: walletOf(payment) },
    reference: payment.operatorReference ?? payment.externalId,
  })
  const send = `<a class="plain" rel="noreferrer" href="https://wa.me/?text=${escapeHtml(encodeURIComponent(receipt))}">${escapeHtml(t('pay.sendReceipt'))}</a>`
  return `${state('ok', t('pay.paid'))}<p>${escapeHtml(t('pay.paidText'))}</p>${renderReturn(payment, t)}<p class="actions">${send}</p>`
}

/** Leads back to the merchant; after a failure, to the payment link, or to pay again where the merchant allows it. */
function renderReturn({ page, externalId, status, applicationName, linkToken }: PaymentView, t: Translate): string {
  if (status === 'FAILED' && linkToken !== null)
    return `<p><a class="button" href="${escapeHtml(paymentLinkPath(linkToken))}">${escapeHtml(t('pay.again'))}</a></p>`
  if (page.returnUrl === null) return ''
  const label = status === 'FAILED' && page.offersRetry ? t('pay.again') : t('pay.back', { name: applicationName })
  const address = returnAddress(page.returnUrl, { externalId, status })
  return `<p><a class="button" rel="noreferrer" href="${escapeHtml(address)}">${escapeHtml(label)}</a></p>`
}

/** The link as a code for another telephone: shown on wide screens, and on narrow ones once it is asked for. Works without script. */
function renderScan(link: string, wallet: string, t: Translate): string {
  const { size, path } = drawQrCode(link)
  return (
    `<div class="scan"><input type="checkbox" id="scan"><label for="scan">${escapeHtml(t('pay.showCode'))}</label>` +
    `<svg class="qr" role="img" aria-label="${escapeHtml(t('pay.qrLabel', { wallet }))}" viewBox="-2 -2 ${size + 4} ${size + 4}" shape-rendering="crispEdges">` +
    `<path d="${path}" fill="#000"/></svg><p class="quiet">${escapeHtml(t('pay.scan', { wallet }))}</p></div>`
  )
}

function renderCode(payment: PaymentView, dial: string, t: Translate, locale: Locale): string {
  const { payToken, refusedCodes, isMalformed, codeLength, triesLeft, codeTimeLeftMs } = payment
  const malformed = codeLength === undefined ? t('pay.codeMalformed') : t('pay.codeWrongLength', { digits: codeLength })
  const problem = isMalformed ? malformed : refusedCodes > 0 ? t('pay.codeRefused') : undefined
  const label = codeLength === undefined ? t('pay.code') : t('pay.codeOfLength', { digits: codeLength })
  const minutes = Math.max(1, Math.floor(codeTimeLeftMs / 60_000))
  const left = `${t('pay.triesLeft', { count: Math.max(1, triesLeft) })} ${t('pay.timeLeft', { count: minutes })}`
  return (
    `<ol><li>${escapeHtml(t('pay.dial'))} <a class="dial" href="tel:${escapeHtml(encodeURIComponent(dial))}">${escapeHtml(dial)}</a> ` +
    // Some telephones do not dial a star. The script shows the button where it can copy.
    `<button type="button" class="copy" hidden value="${escapeHtml(dial)}" data-done="${escapeHtml(t('pay.copied'))}">${escapeHtml(t('pay.copy'))}</button></li>` +
    `<li>${escapeHtml(t('pay.smsArrives'))}</li><li>${escapeHtml(t('pay.typeCode'))}</li></ol>` +
    (problem === undefined ? '' : `<p class="state bad" id="problem">${escapeHtml(problem)}</p>`) +
    `<form method="post" action="/pay/${escapeHtml(payToken)}/code?lang=${locale}"><p><label for="code">${escapeHtml(label)}</label>` +
    // Spaces between the digits are taken out.
    `<input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength="${codeLength === undefined ? 12 : codeLength * 2}"` +
    `${problem === undefined ? '' : ' aria-invalid="true"'} aria-describedby="${problem === undefined ? '' : 'problem '}pin left"></p>` +
    `<p id="pin"><strong>${escapeHtml(t('pay.neverPin', { wallet: walletOf(payment) }))}</strong></p>` +
    `<p class="quiet" id="left">${escapeHtml(left)}</p>` +
    `<p><button class="button">${escapeHtml(t('pay.send'))}</button></p></form>`
  )
}

function state(kind: 'ok' | 'bad', text: string): string {
  return `<p class="state ${kind}">${escapeHtml(text)}</p>`
}

/** Often while the customer is about to pay, seldom for a page that is left open: each refresh costs the customer's data. */
function refreshS(ageMs: number): number {
  if (ageMs < 180_000) return 5
  return ageMs < 1_800_000 ? 20 : 60
}
