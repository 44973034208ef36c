import { createHash } from 'node:crypto'
import { create as createQrCode } from 'qrcode'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES, isFinalStatus } from '#lib/payments/transaction-status.ts'
import type { QrCode } from '#lib/people/sign-in.ts'
import { formatAmount } from '#lib/text/format.ts'
import { MESSAGES } from '#server/messages.ts'
import { NUMBER_MESSAGES } from '#server/operators/answer-table.ts'
import type { CustomerPayment } from '#server/operators/customer-step/customer-link-store.ts'

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

export const LIVE_SCRIPT_PATH = '/pay/live.js'

/** For old telephones: no module, no arrow function. The field that the customer is typing in is not replaced. */
export const LIVE_SCRIPT = `(function(){
var since=Date.now()
function wait(){setTimeout(look,Date.now()-since<180000?4000:15000)}
function look(){
if(document.hidden)return wait()
fetch(location.href,{cache:'no-store'}).then(function(a){return a.text()}).then(function(text){
var now=new DOMParser().parseFromString(text,'text/html').querySelector('main'),old=document.querySelector('main')
if(now&&now.innerHTML!==old.innerHTML&&!(document.activeElement&&document.activeElement.name==='code'))old.replaceWith(now)
if(!now||!now.hasAttribute('data-final'))wait()
},wait)}
if(window.fetch&&window.DOMParser&&!document.querySelector('main[data-final]'))wait()
})()
`

const STYLE =
  ':root{color-scheme:light dark;--paper:#f8f8f5;--surface:#fff;--line:#d3d2ca;--ink:#191b1e;--ink2:#53585e;--accent:#2b3fb8;--on:#fff;--ok:#1b7a4b;--bad:#b3261e}' +
  '@media(prefers-color-scheme:dark){:root{--paper:#101214;--surface:#171a1d;--line:#3a4046;--ink:#eceeef;--ink2:#a9b0b7;--accent:#98a6ff;--on:#101214;--ok:#5cc48e;--bad:#f0837a}}' +
  '*{box-sizing:border-box}body{margin:0;color:var(--ink);background:var(--paper);font:16px/1.5 system-ui,sans-serif}' +
  'header,main{max-width:27rem;margin:0 auto;padding:0 1rem}header{display:flex;justify-content:space-between;gap:1rem;padding-top:1rem;color:var(--ink2);font-size:.875rem}' +
  'a{color:var(--accent)}h1{font-size:1.25rem;line-height:1.3;margin:1.5rem 0 .75rem;overflow-wrap:anywhere}p{margin:.75rem 0}' +
  '.amount{font-size:2rem;line-height:1.2;font-weight:640;font-variant-numeric:tabular-nums;margin:0}.amount small{font-size:1rem;font-weight:400;color:var(--ink2)}' +
  'dl{margin:1rem 0;border-top:1px solid var(--line)}dl div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}' +
  'dt{color:var(--ink2)}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}' +
  '.button{display:block;width:100%;padding:.75rem 1rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:inherit;font-weight:560;text-align:center;text-decoration:none}' +
  ':focus-visible{outline:2px solid var(--accent);outline-offset:2px}.state{font-weight:560}.ok{color:var(--ok)}.bad{color:var(--bad)}' +
  'label{display:block}input{display:block;width:100%;padding:.75rem 1rem;border:1px solid var(--ink2);border-radius:8px;background:var(--surface);color:var(--ink);font:inherit;font-variant-numeric:tabular-nums}.dial{white-space:nowrap;font-weight:560}' +
  '.qr{display:block;width:11rem;height:11rem;margin:.75rem 0;background:#fff;border:1px solid var(--line);border-radius:6px}.quiet{color:var(--ink2);font-size:.875rem}'

const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `script-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ')

export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The address holds the token: no other site, the operator's included, learns it.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Draws a text as a QR code. */
export function drawQrCode(text: string): QrCode {
  const { modules } = createQrCode(text, { errorCorrectionLevel: 'M' })
  let path = ''
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) if (modules.get(row, column)) path += `M${column} ${row}h1v1h-1z`
  }
  return { size: modules.size, path }
}
