import { randomUUID } from 'node:crypto'
import type { Locale } from '#lib/i18n/locale.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { linkPaymentFormSchema } from '#lib/schemas/payment-link.ts'
import { moneyText } from '#lib/text/format.ts'
import { throttleAddress } from '#server/credentials/address.ts'
import { addressOwner, refuseBody } from '#server/http/api/read-json-body.ts'
import type { ApiRequest, ApiResponse } from '#server/http/request/api-request.ts'
import { findCustomerPayment } from '#server/operators/customer-step/customer-link-store.ts'
import { type CustomerLink, findCustomerLink } from '#server/payment-links/payment-link-store.ts'
import { type StartLinkFailure, startLinkPayment } from '#server/payment-links/start-link-payment.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import type { HttpRuntime, OpenEndpoint } from '../api/endpoint.ts'
import type { Refusal } from '../api/errors.ts'
import { compressed, LEAD_HEADERS, PAGE_HEADERS } from './pay-document.ts'
import { localeOf, PAY_PATH, visitHeaders } from './pay-language.ts'
import { type LinkForm, renderLink } from './render-link-page.ts'
import { renderGone, translateFor, WALLETS } from './render-pay-page.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    linkPaymentLimits: Record<'address' | 'link' | 'number', RateLimit>
  }
}

/** The links of merchants; what follows is the token of one. */
export const LINK_PATH = `${PAY_PATH}/link`
const FORM_BYTES_MAX = 4_096

/**
 * Starts of payments. Whole towns share an address behind their carrier, so an address has the most; a number has few, because each start may
 * ring its phone.
 */
const LIMITS = { address: { burst: 60, perSecond: 0.5 }, link: { burst: 60, perSecond: 1 }, number: { burst: 6, perSecond: 1 / 60 } }

/** GET /pay/link/<token>: what is paid, and the form of the customer. Leads on to the payment of a link for one that has it already. */
const LINK_PAGE: OpenEndpoint = {
  kind: 'open',
  name: 'pay/link',
  method: 'GET',
  path: LINK_PATH,
  async respond(runtime, request) {
    const link = await findCustomerLink(runtime.pool, tokenOf(request))
    if (!link) return ok(answerGone(request))
    const { payToken } = link
    const isShown = payToken !== null && link.obstacle !== null && (await findCustomerPayment(runtime.pool, payToken)) !== undefined
    return ok(isShown ? leadTo(request, payToken) : answerPage(request, link, emptyForm(), link.obstacle === null ? 200 : 410))
  },
}

/** POST to the same address: the form. Leads to the page of the payment, or shows the form again with what is wrong. */
const LINK_FORM: OpenEndpoint = {
  kind: 'open',
  name: 'pay/link-start',
  method: 'POST',
  path: LINK_PATH,
  async respond(runtime, request) {
    const body = await request.readBody(FORM_BYTES_MAX, addressOwner(request))
    if (!body.ok) return err(refuseBody(body.error, FORM_BYTES_MAX))
    const link = await findCustomerLink(runtime.pool, tokenOf(request))
    if (!link) return ok(answerGone(request))
    return startFrom(runtime, request, link, new URLSearchParams(Buffer.from(body.value).toString('utf8')))
  },
}

/** The endpoint of an address below LINK_PATH. */
export const LINK_ENDPOINT: OpenEndpoint = { ...LINK_PAGE, besides: LINK_FORM }

async function startFrom(
  runtime: HttpRuntime,
  request: ApiRequest,
  link: CustomerLink,
  sent: URLSearchParams,
): Promise<Result<ApiResponse, Refusal>> {
  const locale = localeOf(request)
  const parsed = linkPaymentFormSchema.safeParse(Object.fromEntries(sent))
  if (!parsed.success) return ok(answerPage(request, link, emptyForm(translateFor(locale)('pay.link.unreadable')), 400))
  const form = parsed.data
  const waitS = throttle(request, link, form.phoneNumber)
  if (waitS !== undefined) {
    const problem = translateFor(locale)('pay.link.tooMany', { count: waitS })
    const page = answerPage(request, link, { ...form, fields: [], problem }, 429)
    return ok({ ...page, headers: { ...page.headers, 'retry-after': String(waitS) } })
  }
  const started = await startLinkPayment(runtime, { link, form, locale })
  if (started.ok) return ok(leadTo(request, started.value.payToken))
  return ok(answerRefusal(request, link, { ...form, fields: [], problem: undefined }, started.error))
}

/** Returns the seconds to wait, if too many payments were started. */
function throttle(request: ApiRequest, { linkId }: CustomerLink, phoneNumber: string): number | undefined {
  const limits = processWide('linkPaymentLimits', () => {
    const nowMs = () => performance.now()
    const make = (kind: keyof typeof LIMITS) => createRateLimit({ ...LIMITS[kind], nowMs })
    return { address: make('address'), link: make('link'), number: make('number') }
  })
  // The same number is written in many ways, with or without its dial code.
  const number = phoneNumber.replaceAll(/\D/g, '').slice(-8)
  const waitMs =
    limits.address.take(throttleAddress(request.peerAddress ?? '')).retryAfterMs ??
    limits.link.take(linkId).retryAfterMs ??
    (number === '' ? undefined : limits.number.take(number).retryAfterMs)
  return waitMs === undefined ? undefined : Math.max(1, Math.ceil(waitMs / 1_000))
}

function answerRefusal(request: ApiRequest, link: CustomerLink, form: LinkForm, failure: StartLinkFailure): ApiResponse {
  const locale = localeOf(request)
  const t = translateFor(locale)
  switch (failure.kind) {
    case 'invalid':
      return answerPage(request, link, { ...form, fields: failure.fields, problem: t('pay.link.wrong') }, 400)
    case 'obstacle':
      return answerPage(request, { ...link, obstacle: failure.obstacle }, form, 410)
    case 'overloaded':
      return answerPage(request, link, { ...form, problem: t('pay.link.overloaded') }, 503)
    case 'refused':
      return answerPage(request, link, { ...form, problem: describeRefusal(failure, locale) }, 400)
  }
}

function describeRefusal({ problem, request }: Extract<StartLinkFailure, { kind: 'refused' }>, locale: Locale): string {
  const t = translateFor(locale)
  const { brand, country } = OPERATORS[request.transferMethod]
  const wallet = WALLETS[brand]
  const money = (amountMinor: bigint) => moneyText({ amount: formatMinor(amountMinor), currency: country.currency }, locale)
  if (problem.kind === 'amount_out_of_limits')
    return t('pay.link.outOfLimits', { wallet, minimum: money(problem.minimumMinor), maximum: money(problem.maximumMinor) })
  if (problem.kind === 'amount_not_above_fees') return t('pay.link.tooSmall', { wallet, minimum: money(problem.smallestMinor) })
  return t('pay.link.operatorOff', { wallet })
}

function emptyForm(problem?: string): LinkForm {
  return { attempt: randomUUID(), operator: '', phoneNumber: '', customerName: '', amount: '', fields: [], problem }
}

function answerPage(request: ApiRequest, link: CustomerLink, form: LinkForm, status: number): ApiResponse {
  return answerHtml(request, renderLink(link, form, localeOf(request)), status)
}

/** Unknown and wrong tokens look the same. */
function answerGone(request: ApiRequest): ApiResponse {
  return answerHtml(request, renderGone(localeOf(request)), 404)
}

function answerHtml(request: ApiRequest, body: string, status: number): ApiResponse {
  const headers = { ...PAGE_HEADERS, ...visitHeaders(request) }
  return compressed(request, { status, contentType: 'text/html; charset=utf-8', headers, body })
}

function leadTo(request: ApiRequest, payToken: string): ApiResponse {
  const headers = { ...LEAD_HEADERS, ...visitHeaders(request), location: `${PAY_PATH}/${payToken}?lang=${localeOf(request)}` }
  return { status: 303, contentType: 'text/plain; charset=utf-8', headers, body: '' }
}

function tokenOf(request: ApiRequest): string {
  return request.path.slice(LINK_PATH.length + 1)
}
