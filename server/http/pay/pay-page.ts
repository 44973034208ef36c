import { err, ok } from '#lib/result.ts'
import { findLogo } from '#server/applications/customer-page-store.ts'
import { addressOwner, refuseBody } from '#server/http/api/read-json-body.ts'
import type { ApiRequest } from '#server/http/request/api-request.ts'
import { findCustomerPayment, isPayToken } from '#server/operators/customer-step/customer-link-store.ts'
import { enterCode, noteTester } from '#server/operators/customer-step/enter-code.ts'
import type { HttpRuntime, OpenEndpoint } from '../api/endpoint.ts'
import { LINK_ENDPOINT, LINK_PATH } from './link-page.ts'
import { compressed, LEAD_HEADERS, LIVE_SCRIPT, LIVE_SCRIPT_PATH, LOGO_PATH, PAGE_HEADERS } from './pay-document.ts'
import { localeOf, PAY_PATH, visitHeaders } from './pay-language.ts'
import { type PaymentView, renderGone, renderNewContent, renderPayment, stateOf } from './render-pay-page.ts'

const CODE_ENDING = '/code'
const STATE_ENDING = '/state'
const CONTENT_ENDING = '/content'
const DAY_SECONDS = 86_400
/** Of parts of a page, if somebody opens the address of one. */
const PART_HEADERS = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" }
/** The field of the form. */
const CODE_NAME = 'code'
const FORM_BYTES_MAX = 1_024

/** Other visitors of a sandbox are testers, who act as the customer. */
const SIMULATED_CUSTOMER = 'simulated-customer'

/** GET /pay/<payToken>: the page on which the customer of a collect sees what is requested, what to do, and the result. */
const PAY_PAGE: OpenEndpoint = {
  kind: 'open',
  name: 'pay',
  method: 'GET',
  path: PAY_PATH,
  async respond(runtime, request) {
    const payment = await findView(runtime, request, request.path.slice(PAY_PATH.length + 1))
    const locale = localeOf(request)
    const headers = { ...PAGE_HEADERS, ...visitHeaders(request) }
    const html = payment ? renderPayment(payment, locale) : renderGone(locale)
    // Unknown, wrong and expired tokens look the same.
    return ok(compressed(request, { status: payment ? 200 : 404, contentType: 'text/html; charset=utf-8', headers, body: html }))
  },
}

/** GET /pay/<payToken>/state: a few bytes that change when the page has something else to show. */
const PAY_STATE: OpenEndpoint = {
  kind: 'open',
  name: 'pay/state',
  method: 'GET',
  path: `${PAY_PATH}/state`,
  async respond(runtime, request) {
    const payment = await findView(runtime, request, request.path.slice(PAY_PATH.length + 1, -STATE_ENDING.length))
    const headers = { 'x-content-type-options': 'nosniff' }
    return ok({ status: payment ? 200 : 404, contentType: 'text/plain', headers, body: (payment && stateOf(payment)) ?? 'final' })
  },
}

/** GET /pay/<payToken>/content: what an open page shows from now on, in a third of the bytes of the page. */
const PAY_CONTENT: OpenEndpoint = {
  kind: 'open',
  name: 'pay/content',
  method: 'GET',
  path: `${PAY_PATH}/content`,
  async respond(runtime, request) {
    const payment = await findView(runtime, request, request.path.slice(PAY_PATH.length + 1, -CONTENT_ENDING.length))
    const body = payment ? renderNewContent(payment, localeOf(request)) : ''
    return ok(compressed(request, { status: payment ? 200 : 404, contentType: 'text/html; charset=utf-8', headers: PART_HEADERS, body }))
  },
}

/** GET /pay/logo/<digest>: the picture of a merchant. Its address changes with it, so it is never asked for twice. */
const PAY_LOGO: OpenEndpoint = {
  kind: 'open',
  name: 'pay/logo',
  method: 'GET',
  path: LOGO_PATH,
  async respond(runtime, request) {
    const digest = request.path.slice(LOGO_PATH.length + 1)
    const logo = /^[0-9a-f]{64}$/.test(digest) ? await findLogo(runtime.pool, digest) : undefined
    if (!logo) return ok({ status: 404, contentType: 'text/plain', headers: PART_HEADERS, body: '' })
    const body = Buffer.from(logo.bytes)
    return ok({
      status: 200,
      contentType: logo.type,
      cacheControl: `public, max-age=${DAY_SECONDS * 365}, immutable`,
      headers: PART_HEADERS,
      body,
    })
  },
}

/** GET /pay/live.js: refreshes the page while the payment is open. Without script, the page refreshes itself. */
const PAY_SCRIPT: OpenEndpoint = {
  kind: 'open',
  name: 'pay/script',
  method: 'GET',
  path: LIVE_SCRIPT_PATH,
  respond: async (_, request) => {
    const headers = { 'x-content-type-options': 'nosniff' }
    const cacheControl = `public, max-age=${DAY_SECONDS}`
    return ok(compressed(request, { status: 200, contentType: 'text/javascript; charset=utf-8', cacheControl, headers, body: LIVE_SCRIPT }))
  },
}

/** POST /pay/<payToken>/code: the form of that page. Leads back to it, also for a token that names nothing. */
const PAY_CODE: OpenEndpoint = {
  kind: 'open',
  name: 'pay/code',
  method: 'POST',
  path: `${PAY_PATH}/code`,
  async respond(runtime, request) {
    const body = await request.readBody(FORM_BYTES_MAX, addressOwner(request))
    if (!body.ok) return err(refuseBody(body.error, FORM_BYTES_MAX))
    const payToken = request.path.slice(PAY_PATH.length + 1, -CODE_ENDING.length)
    const entered = new URLSearchParams(Buffer.from(body.value).toString('utf8')).get(CODE_NAME) ?? ''
    const payment = await findCustomerPayment(runtime.pool, payToken)
    const step = payment && runtime.connectors.get(payment.operator)?.customerStep
    const result = await enterCode(runtime.pool, payToken, entered, typeof step === 'object' ? step.codeLength : undefined)
    if (result.ok) runtime.wake.operators()
    const back = new URLSearchParams({
      lang: localeOf(request),
      ...(!result.ok && result.error === 'malformed' && { [CODE_NAME]: 'malformed' }),
    })
    const headers = { ...LEAD_HEADERS, location: `${PAY_PATH}/${isPayToken(payToken) ? payToken : 'unknown'}?${back}` }
    return ok({ status: 303, contentType: 'text/plain; charset=utf-8', headers, body: '' })
  },
}

/** The endpoint of everything below /pay: an address that names no payment looks like one that has expired. */
export function payEndpointAt(path: string): OpenEndpoint | undefined {
  if (path === LIVE_SCRIPT_PATH) return PAY_SCRIPT
  if (path.startsWith(`${LOGO_PATH}/`)) return PAY_LOGO
  if (path.startsWith(`${LINK_PATH}/`)) return LINK_ENDPOINT
  if (path.startsWith(`${PAY_PATH}/`) && path.endsWith(CODE_ENDING)) return PAY_CODE
  if (path.startsWith(`${PAY_PATH}/`) && path.endsWith(STATE_ENDING)) return PAY_STATE
  if (path.startsWith(`${PAY_PATH}/`) && path.endsWith(CONTENT_ENDING)) return PAY_CONTENT
  return path === PAY_PATH || path.startsWith(`${PAY_PATH}/`) ? PAY_PAGE : undefined
}

/** A token lets its holder see a payment, so logs do not contain it. */
export function pathForLogs(path: string): string {
  return payEndpointAt(path) ? PAY_PATH : path
}

async function findView(runtime: HttpRuntime, request: ApiRequest, payToken: string): Promise<PaymentView | undefined> {
  const payment = await findCustomerPayment(runtime.pool, payToken)
  if (!payment) return undefined
  if (runtime.config.isSandbox && payment.awaitsCode && request.header('user-agent') !== SIMULATED_CUSTOMER)
    await noteTester(runtime.pool, payToken)
  const step = runtime.connectors.get(payment.operator)?.customerStep
  const isMalformed = new URLSearchParams(request.search).get(CODE_NAME) === 'malformed'
  return {
    ...payment,
    payToken,
    isMalformed,
    needsLink: step === 'link',
    dial: typeof step === 'object' ? step.dial(payment.amountMinor) : undefined,
    codeLength: typeof step === 'object' ? step.codeLength : undefined,
  }
}
