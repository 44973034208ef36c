import { createHash } from 'node:crypto'
import { isLocale, type Locale, localeFromHeader } from '#lib/i18n/locale.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { createTranslate, type MessageKey, type Translate } from '#lib/i18n/translate.ts'

/** The statuses that have words of their own; any other refusal uses those of 400. */
const WORDS: Readonly<Record<number, { title: MessageKey; text: MessageKey }>> = {
  400: { title: 'refusal.unreadableTitle', text: 'refusal.unreadableText' },
  403: { title: 'refusal.foreignTitle', text: 'refusal.foreignText' },
  404: { title: 'state.notFoundTitle', text: 'state.notFoundText' },
  405: { title: 'refusal.methodTitle', text: 'refusal.methodText' },
  409: { title: 'refusal.outdatedTitle', text: 'refusal.outdatedText' },
  413: { title: 'refusal.tooLargeTitle', text: 'refusal.tooLargeText' },
}
/** What programs get instead: the codes of the data addresses. */
const CODES: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'outdated',
  413: 'too_large',
}

const STYLE =
  'body{margin:0;color:#191b1d;background:#f8f8f5;font:15px/1.5 system-ui,sans-serif}main{max-width:34rem;margin:0 auto;padding:4rem 1rem}' +
  'h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0 0 1rem}a{color:inherit}' +
  '@media(prefers-color-scheme:dark){body{color:#ececea;background:#101214}}'
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const TRANSLATES: Readonly<Record<Locale, Translate>> = {
  en: createTranslate('en', MESSAGES.en),
  fr: createTranslate('fr', MESSAGES.fr),
}

/** What decides how a refusal is worded: the headers as the client sent them, and the path. */
export type RefusedRequest = { path: string; accept: string | null; cookie: string | null; acceptLanguage: string | null }

export type RefusalAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string }

/**
 * The whole answer to a request that no page could answer. People get a page in their language, which needs neither script nor Next;
 * programs get `{ code }`. `status` is a 4xx.
 */
export function answerRefusal(status: number, request: RefusedRequest): RefusalAnswer {
  const isForProgram = request.path.startsWith('/api/') && !request.accept?.includes('text/html')
  const headers = {
    'content-type': isForProgram ? 'application/json' : 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
  return {
    status,
    headers,
    body: isForProgram ? JSON.stringify({ code: CODES[status] ?? 'invalid' }) : writePage(status, localeOf(request)),
  }
}

function writePage(status: number, locale: Locale): string {
  const t = TRANSLATES[locale]
  const words = WORDS[status] ?? { title: 'refusal.unreadableTitle', text: 'refusal.unreadableText' }
  const title = t(words.title)
  return (
    `<!DOCTYPE html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="robots" content="noindex"><title>${title} · Countersign</title><style>${STYLE}</style></head>` +
    `<body><main><h1>${title}</h1><p>${t(words.text)}</p><p><a href="/">${t('state.home')}</a></p></main></body></html>`
  )
}

/** The language that this browser chose on an earlier page, else the one that it asks for. */
function localeOf({ cookie, acceptLanguage }: RefusedRequest): Locale {
  const chosen = (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith('countersign.language='))
    ?.slice('countersign.language='.length)
  return isLocale(chosen) ? chosen : localeFromHeader(acceptLanguage)
}
