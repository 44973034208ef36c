import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLocale, LANGUAGE_COOKIE, type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'
import { reloadOnceAnswered } from '#lib/reload-once-answered.ts'
import type { Refusal } from '#server/http/api/errors.ts'
import { MESSAGES } from '#server/messages.ts'
import type { ApiResponse } from '../request/api-request.ts'

/** The wording of a status: for programs, for a server action (one sentence), and for people (a page). */
type Text = { code: string; sentence: MessageKey; title: MessageKey; text: MessageKey }

const UNREADABLE: Text = {
  code: 'invalid',
  sentence: 'request.malformed',
  title: 'refusal.unreadableTitle',
  text: 'refusal.unreadableText',
}
/** Any other status has the text of 400. */
const TEXTS: Readonly<Record<number, Text>> = {
  403: { code: 'forbidden', sentence: 'refusal.foreignTitle', title: 'refusal.foreignTitle', text: 'refusal.foreignText' },
  404: { code: 'not_found', sentence: 'state.notFoundTitle', title: 'state.notFoundTitle', text: 'state.notFoundText' },
  405: { code: 'method_not_allowed', sentence: 'request.method', title: 'refusal.methodTitle', text: 'refusal.methodText' },
  408: { code: 'too_slow', sentence: 'request.tooSlow', title: 'refusal.tooSlowTitle', text: 'request.tooSlow' },
  409: { code: 'outdated', sentence: 'refusal.outdatedTitle', title: 'refusal.outdatedTitle', text: 'refusal.outdatedText' },
  413: { code: 'too_large', sentence: 'request.tooLarge', title: 'refusal.tooLargeTitle', text: 'refusal.tooLargeText' },
  503: { code: 'busy', sentence: 'request.busy', title: 'refusal.busyTitle', text: 'request.busy' },
}

const STYLE =
  'body{margin:0;color:#191b1d;background:#f8f8f5;font:15px/1.5 system-ui,sans-serif}main{max-width:34rem;margin:0 auto;padding:4rem 1rem}' +
  'h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0 0 1rem}a{color:inherit}' +
  '@media(prefers-color-scheme:dark){body{color:#ececea;background:#101214}}'
const POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
export const REFUSAL_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
}

/** Of a page that opens automatically once the database answers: the same function as in the pages that Next renders. */
const RELOADS = `(${reloadOnceAnswered})()`
const RELOADS_POLICY = `${POLICY}; script-src ${hashOf(RELOADS)}; connect-src 'self'`
const DATABASE_AWAY: Text = {
  code: 'unavailable',
  sentence: 'action.unavailable',
  title: 'state.unavailableTitle',
  text: 'state.unavailableText',
}
/** A form or a file is requested once, by the person: whether it took effect is unknown. */
const DATABASE_AWAY_ONCE: Text = { ...DATABASE_AWAY, text: 'action.unavailable' }
const DATABASE_AWAY_RETRY_S = '5'

const TRANSLATES: Readonly<Record<Locale, Translate>> = {
  en: createTranslate('en', MESSAGES.en),
  fr: createTranslate('fr', MESSAGES.fr),
}

/** The facts that decide how a refusal is worded: the headers as the client sent them, and the path. */
type RefusedRequest = {
  path: string
  accept: string | null
  cookie: string | null
  acceptLanguage: string | null
  isAction: boolean
}

/**
 * Renders the whole answer to a request that no page could answer. People get a page in their language, which needs neither script nor
 * Next; programs get `{ code }`; the client of a server action gets one sentence, which it shows in place of its own message.
 */
export function renderRefusal({ status, headers }: Pick<Refusal, 'status' | 'headers'>, request: RefusedRequest): ApiResponse {
  return render(TEXTS[status] ?? UNREADABLE, { status, headers }, request)
}

/** Renders the answer to a request that failed because the database is away. The page loads itself again once it can be read. */
export function renderDatabaseAway(request: RefusedRequest, method: string | undefined): ApiResponse {
  const isPage = (method === 'GET' || method === 'HEAD') && !request.path.startsWith('/api/')
  const headers = { 'retry-after': DATABASE_AWAY_RETRY_S, ...(isPage && { 'content-security-policy': RELOADS_POLICY }) }
  return render(isPage ? DATABASE_AWAY : DATABASE_AWAY_ONCE, { status: 503, headers }, request, isPage ? RELOADS : '')
}

function render(found: Text, { status, headers }: Pick<Refusal, 'status' | 'headers'>, request: RefusedRequest, script = ''): ApiResponse {
  const locale = localeOf(request)
  const answer = { status, headers: { ...REFUSAL_HEADERS, ...headers } }
  if (request.isAction) return { ...answer, contentType: 'text/plain; charset=utf-8', body: `${TRANSLATES[locale](found.sentence)}\n` }
  if (request.path.startsWith('/api/') && !request.accept?.includes('text/html'))
    return { ...answer, contentType: 'application/json', body: JSON.stringify({ code: found.code }) }
  return { ...answer, contentType: 'text/html; charset=utf-8', body: writePage(found, locale, script) }
}

/** Returns the facts that decide how the refusal of this request is worded. */
export function refusedRequest({ url = '/', headers }: IncomingMessage): RefusedRequest {
  return {
    path: url.split('?', 1)[0] ?? '/',
    accept: headers.accept ?? null,
    cookie: headers.cookie ?? null,
    acceptLanguage: headers['accept-language'] ?? null,
    isAction: headers['next-action'] !== undefined,
  }
}

/** The source of a policy that allows exactly this text. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function writePage(found: Text, locale: Locale, script: string): string {
  const t = TRANSLATES[locale]
  const title = t(found.title)
  return (
    `<!DOCTYPE html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="robots" content="noindex"><title>${title} · Countersign</title><style>${STYLE}</style></head>` +
    `<body><main><h1>${title}</h1><p>${t(found.text)}</p><p><a href="/">${t('state.home')}</a></p></main>${script && `<script>${script}</script>`}</body></html>`
  )
}

/** The language that this browser chose on an earlier page, else the one of its Accept-Language. */
function localeOf({ cookie, acceptLanguage }: RefusedRequest): Locale {
  const chosen = (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${LANGUAGE_COOKIE}=`))
    ?.slice(LANGUAGE_COOKIE.length + 1)
  return isLocale(chosen) ? chosen : localeFromHeader(acceptLanguage)
}
