import { formatAmount } from '#lib/format.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { FAILURE_MESSAGES, isFinalStatus } from '#lib/transaction-status.ts'
import type { CustomerPayment } from '#server/operators/customer-step/customer-page-queries.ts'
import { NUMBER_MESSAGES } from '#server/operators/operator-result.ts'
import { drawQrCode } from './draw-qr-code.ts'
import { escapeHtml, LIVE_SCRIPT_PATH, STYLE } from './page-parts.ts'

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

/** The name of each brand among its customers. */
const WALLETS = {
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
}

/** Renders the page of a payment. It states nothing that the request for the payment did not contain, and the number only in part. */
export function renderPayment(payment: PaymentView, locale: Locale): string {
  const t = TRANSLATES[locale]
  const { brand } = OPERATORS[payment.operator]
  const facts: [MessageKey, string][] = [
    ['pay.requestedBy', payment.applicationName],
    ['pay.operator', WALLETS[brand]],
    ['pay.number', t('pay.numberEnds', { digits: payment.phoneNumber.slice(-3) })],
  ]
  const isFinal = isFinalStatus(payment.status)
  const content =
    `<h1>${escapeHtml(t('pay.title', { name: payment.applicationName }))}</h1>` +
    `<p class="amount">${formatAmount(formatMinor(payment.amountMinor), locale)} <small>${payment.currency}</small></p>` +
    `<div role="status">${renderStep(payment, t, locale)}</div>` +
    `<dl>${facts.map(([key, value]) => `<div><dt>${escapeHtml(t(key))}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>` +
    (isFinal ? '' : renderRefresh(payment, t))
  return renderDocument({
    content,
    title: t('pay.title', { name: payment.applicationName }),
    locale,
    isFinal,
    // Not while a code is typed: without script, refreshing would empty the field.
    refreshS: isFinal || payment.awaitsCode ? undefined : refreshS(payment.ageMs),
  })
}

/** Renders what every other token shows. */
export function renderGone(locale: Locale): string {
  const t = TRANSLATES[locale]
  const content = `<h1>${escapeHtml(t('pay.goneTitle'))}</h1><p>${escapeHtml(t('pay.goneText'))}</p>`
  return renderDocument({ content, title: t('pay.goneTitle'), locale, isFinal: true, refreshS: undefined })
}

/** While a code is awaited, the page refreshes only with script, and says nothing of it. */
function renderRefresh({ awaitsCode }: PaymentView, t: Translate): string {
  const live = awaitsCode ? '' : `${escapeHtml(t('pay.live'))} `
  return `<p class="quiet">${live}<a href="">${escapeHtml(t('pay.refresh'))}</a></p>`
}

function renderStep(payment: PaymentView, t: Translate, locale: Locale): string {
  const { status, message, customerLink, needsLink, dial } = payment
  const wallet = WALLETS[OPERATORS[payment.operator].brand]
  if (status === 'SUCCESS') return `${state('ok', t('pay.paid'))}<p>${escapeHtml(t('pay.paidText'))}</p>`
  if (status === 'FAILED') {
    const reason = t(REASONS[message ?? ''] ?? 'pay.refused')
    return `${state('bad', t('pay.notPaid'))}<p>${escapeHtml(reason)} ${escapeHtml(t('pay.askAgain', { name: payment.applicationName }))}</p>`
  }
  if (customerLink !== null) return renderLink(customerLink, wallet, t)
  if (dial !== undefined && status === 'PENDING')
    return payment.awaitsCode ? renderCode(payment, dial, t, locale) : `<p>${escapeHtml(t('pay.processing'))}</p>`
  const isReady = status === 'PENDING' && !needsLink
  return `<p>${escapeHtml(isReady ? t('pay.confirm', { wallet }) : t('pay.preparing'))}</p>`
}

function renderLink(link: string, wallet: string, t: Translate): string {
  const { size, path } = drawQrCode(link)
  return (
    `<p>${escapeHtml(t('pay.follow', { wallet }))}</p>` +
    `<p><a class="button" rel="noreferrer" href="${escapeHtml(link)}">${escapeHtml(t('pay.open', { wallet }))}</a></p>` +
    `<p class="quiet">${escapeHtml(t('pay.scan', { wallet }))}</p>` +
    `<svg class="qr" role="img" aria-label="${escapeHtml(t('pay.qrLabel', { wallet }))}" viewBox="-2 -2 ${size + 4} ${size + 4}" shape-rendering="crispEdges">` +
    `<path d="${path}" fill="#000"/></svg>`
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
    `<p>${escapeHtml(t('pay.dial'))} <a class="dial" href="tel:${escapeHtml(encodeURIComponent(dial))}">${escapeHtml(dial)}</a></p>` +
    (problem === undefined ? '' : `<p class="state bad" id="problem">${escapeHtml(problem)}</p>`) +
    `<form method="post" action="/pay/${escapeHtml(payToken)}/code?lang=${locale}"><p><label for="code">${escapeHtml(label)}</label>` +
    // Spaces between the digits are taken out.
    `<input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength="${codeLength === undefined ? 12 : codeLength * 2}"` +
    `${problem === undefined ? '' : ' aria-invalid="true"'} aria-describedby="${problem === undefined ? '' : 'problem '}pin left"></p>` +
    `<p id="pin"><strong>${escapeHtml(t('pay.neverPin', { wallet: WALLETS[OPERATORS[payment.operator].brand] }))}</strong></p>` +
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

/** `refreshS`: how often the page refreshes itself without script; undefined: not. */
type DocumentParts = { content: string; title: string; locale: Locale; isFinal: boolean; refreshS: number | undefined }

function renderDocument({ content, title, locale, isFinal, refreshS }: DocumentParts): string {
  const other = locale === 'en' ? ({ code: 'fr', name: 'Fran\u00e7ais' } as const) : ({ code: 'en', name: 'English' } as const)
  const refresh = refreshS === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`
  const live = isFinal ? '' : `${refresh}<script src="${LIVE_SCRIPT_PATH}" defer></script>`
  return (
    `<!DOCTYPE html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="robots" content="noindex"><title>${escapeHtml(title)} \u00b7 Countersign</title><link rel="icon" href="/icon.svg"><style>${STYLE}</style>${live}</head>` +
    `<body><header><span>Countersign</span><a href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}">${other.name}</a></header>` +
    `<main${isFinal ? ' data-final' : ''}>${content}</main></body></html>`
  )
}
