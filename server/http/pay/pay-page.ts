import { isLocale, type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import { ok } from '#lib/result.ts'
import type { ApiRequest } from '#server/http/api/api-request.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import type { HttpRuntime } from '#server/http/api/http-runtime.ts'
import { findCustomerPayment } from '#server/operators/customer-step/customer-page-queries.ts'
import { LIVE_SCRIPT, LIVE_SCRIPT_PATH, PAGE_HEADERS } from './page-parts.ts'
import { type PaymentView, renderGone, renderPayment } from './render-pay-page.ts'

const PAY_PATH = '/pay'

/** GET /pay/<payToken>: the page on which the customer of a collect sees what is requested, what to do, and the result. */
const PAY_PAGE: OpenEndpoint = {
  kind: 'open',
  name: 'pay',
  method: 'GET',
  path: PAY_PATH,
  async respond(runtime, request) {
    const payment = await findView(runtime, request.path.slice(PAY_PATH.length + 1))
    const locale = localeOf(request)
    return ok({
      // Unknown, wrong and expired tokens look the same.
      status: payment ? 200 : 404,
      contentType: 'text/html; charset=utf-8',
      headers: { ...PAGE_HEADERS, ...(isSecure(request) && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }) },
      body: payment ? renderPayment(payment, locale) : renderGone(locale),
    })
  },
}

/** GET /pay/live.js: refreshes the page while the payment is open. Without script, the page refreshes itself. */
const PAY_SCRIPT: OpenEndpoint = {
  kind: 'open',
  name: 'pay/script',
  method: 'GET',
  path: LIVE_SCRIPT_PATH,
  respond: async () =>
    ok({ status: 200, contentType: 'text/javascript; charset=utf-8', headers: { 'x-content-type-options': 'nosniff' }, body: LIVE_SCRIPT }),
}

/** The endpoint of everything below /pay: an address that names no payment looks like one that has expired. */
export function payEndpointAt(path: string): OpenEndpoint | undefined {
  if (path === LIVE_SCRIPT_PATH) return PAY_SCRIPT
  return path === PAY_PATH || path.startsWith(`${PAY_PATH}/`) ? PAY_PAGE : undefined
}

/** A token lets its holder see a payment, so logs do not contain it. */
export function pathForLogs(path: string): string {
  return payEndpointAt(path) ? PAY_PATH : path
}

async function findView(runtime: HttpRuntime, payToken: string): Promise<PaymentView | undefined> {
  const payment = await findCustomerPayment(runtime.pool, payToken)
  return payment && { ...payment, needsLink: runtime.connectors.get(payment.operator)?.customerStep === 'link' }
}

/** The language of the address, else that of its Accept-Language. */
function localeOf(request: ApiRequest): Locale {
  const wanted = new URLSearchParams(request.search).get('lang')
  return isLocale(wanted) ? wanted : localeFromHeader(request.header('accept-language') ?? null)
}

function isSecure(request: ApiRequest): boolean {
  return request.header('x-forwarded-proto') === 'https'
}
