import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { create as createQrCode } from 'qrcode'
import type { Locale } from '#lib/i18n/locale.ts'
import type { QrCode } from '#lib/people/sign-in.ts'
import type { ApiRequest, ApiResponse } from '#server/http/request/api-request.ts'

/**
 * `state`: a text that changes with what the customer has to do, null once nothing can change. `refreshS`: how often the page refreshes itself
 * without script; undefined: not. `logo`: the address of the merchant's picture.
 */
type DocumentParts = {
  content: string
  title: string
  name: string
  logo: string | null
  foot: string
  locale: Locale
  state: string | null
  refreshS: number | undefined
}

/** Renders the whole page around its content. */
export function renderDocument({ content, title, name, logo, foot, locale, state, refreshS }: DocumentParts): string {
  const other = locale === 'en' ? ({ code: 'fr', name: 'Fran\u00e7ais' } as const) : ({ code: 'en', name: 'English' } as const)
  const refresh = refreshS === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`
  const live = state === null ? '' : `${refresh}<script src="${LIVE_SCRIPT_PATH}" defer></script>`
  const picture = logo === null ? '' : `<img src="${escapeHtml(logo)}" alt="" height="32">`
  return (
    `<!DOCTYPE html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="robots" content="noindex"><title>${escapeHtml(title)} \u00b7 Countersign</title><link rel="icon" href="/icon.svg"><style>${STYLE}</style>${live}</head>` +
    `<body><header><span>${picture}${escapeHtml(name)}</span><a href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}">${other.name}</a></header>` +
    `${renderMain(content, state)}<footer>${escapeHtml(foot)}</footer></body></html>`
  )
}

/** The part of the page that an open page exchanges. */
export function renderMain(content: string, state: string | null): string {
  return `<main${state === null ? ' data-final' : ` data-state="${state}"`}>${content}</main>`
}

export const LIVE_SCRIPT_PATH = '/pay/live.js'
/** The pictures of merchants, by their digest. */
export const LOGO_PATH = '/pay/logo'

/**
 * For old telephones: no module, no arrow function. It asks for the state, which is a few bytes, and reads the content only once that differs. The
 * field that the customer is typing in is not replaced.
 */
export const LIVE_SCRIPT = `(function(){
var since=Date.now(),main=document.querySelector('main')
function wait(){setTimeout(look,Date.now()-since<60000?4000:Date.now()-since<300000?8000:20000)}
function read(a){if(!a.ok)throw a;return a.text()}
function look(){
if(document.hidden||document.activeElement&&document.activeElement.name==='code')return wait()
fetch(location.pathname+'/state',{cache:'no-store'}).then(read).then(function(state){
if(state===main.getAttribute('data-state'))return wait()
return fetch(location.pathname+'/content'+location.search,{cache:'no-store'}).then(read).then(function(text){
var now=new DOMParser().parseFromString(text,'text/html').querySelector('main')
main.replaceWith(now);main=now;ready()
if(!main.hasAttribute('data-final'))wait()
})}).catch(wait)
}
function ready(){
var copy=main.querySelector('.copy')
if(!copy||!navigator.clipboard)return
copy.hidden=false
copy.onclick=function(){navigator.clipboard.writeText(copy.value).then(function(){copy.textContent=copy.getAttribute('data-done')})}
}
ready()
if(window.fetch&&window.DOMParser&&!main.hasAttribute('data-final'))wait()
})()
`

const STYLE =
  ':root{color-scheme:light dark;--paper:#f8f8f5;--surface:#fff;--line:#d3d2ca;--ink:#191b1e;--ink2:#53585e;--accent:#2b3fb8;--on:#fff;--ok:#1b7a4b;--bad:#b3261e}' +
  '@media(prefers-color-scheme:dark){:root{--paper:#101214;--surface:#171a1d;--line:#3a4046;--ink:#eceeef;--ink2:#a9b0b7;--accent:#98a6ff;--on:#101214;--ok:#5cc48e;--bad:#f0837a}}' +
  '*{box-sizing:border-box}body{margin:0;color:var(--ink);background:var(--paper);font:16px/1.5 system-ui,sans-serif}' +
  'header,main,footer{max-width:27rem;margin:0 auto;padding:0 1rem}header{display:flex;justify-content:space-between;align-items:center;gap:1rem;padding-top:1rem;font-size:.875rem}header span{display:flex;align-items:center;gap:.5rem;min-width:0;font-weight:560;overflow-wrap:anywhere}header img{max-width:8rem;object-fit:contain}footer{padding-bottom:1.5rem;color:var(--ink2);font-size:.875rem}' +
  'a{color:var(--accent)}h1{font-size:1.25rem;line-height:1.3;margin:1.5rem 0 .75rem;overflow-wrap:anywhere}p{margin:.75rem 0}' +
  '.amount{font-size:2rem;line-height:1.2;font-weight:640;font-variant-numeric:tabular-nums;margin:0}.amount small{font-size:1rem;font-weight:400;color:var(--ink2)}' +
  'dl{margin:1rem 0;border-top:1px solid var(--line)}dl div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}' +
  'dt{color:var(--ink2)}dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}' +
  '.button{display:block;width:100%;padding:.75rem 1rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:inherit;font-weight:560;text-align:center;text-decoration:none}' +
  ':focus-visible{outline:2px solid var(--accent);outline-offset:2px}.state{font-weight:560}.ok{color:var(--ok)}.bad{color:var(--bad)}' +
  'ol{margin:.75rem 0;padding-left:1.5rem}li{margin:.5rem 0}.plain,.copy{display:inline-block;padding:.5rem .75rem;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--ink);font:inherit;text-decoration:none}.copy{padding:.125rem .5rem;font-size:.875rem}.actions{display:flex;flex-wrap:wrap;gap:.5rem}label{display:block}input:not([type]){display:block;width:100%;padding:.75rem 1rem;border:1px solid var(--ink2);border-radius:8px;background:var(--surface);color:var(--ink);font:inherit;font-variant-numeric:tabular-nums}.dial{white-space:nowrap;font-weight:560}' +
  '.scan input{position:absolute;opacity:0}.scan label{color:var(--accent);text-decoration:underline}.scan input:focus-visible+label{outline:2px solid var(--accent)}.qr{display:none;width:11rem;height:11rem;margin:.75rem 0;background:#fff;border:1px solid var(--line);border-radius:6px}input:checked~.qr{display:block}@media(min-width:30rem){.qr{display:block}.scan input,.scan label{display:none}}.quiet{color:var(--ink2);font-size:.875rem}.small{font-size:.875rem}fieldset{margin:.75rem 0;padding:0;border:0}legend{padding:0}.choice{display:flex;align-items:center;gap:.75rem;margin:.375rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:8px;background:var(--surface)}.choice input{width:1.125rem;height:1.125rem;margin:0;accent-color:var(--accent)}.choice:has(:checked){border-color:var(--accent)}'

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

/** Of an answer that leads to another page and has no content. */
export const LEAD_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Returns a text as it is written in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Draws a text as a QR code. Dark modules beside each other are one rectangle, placed relative to the one before: a fifth of the bytes of single modules. */
export function drawQrCode(text: string): QrCode {
  const { modules } = createQrCode(text, { errorCorrectionLevel: 'M' })
  const { size } = modules
  let path = ''
  let last = { row: 0, column: 0 }
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (!modules.get(row, column)) continue
      let width = 1
      while (column + width < size && modules.get(row, column + width)) width++
      path += `m${column - last.column} ${row - last.row}h${width}v1h-${width}z`
      last = { row, column }
      column += width
    }
  }
  return { size, path }
}

/** A response in a quarter of the bytes, where the client reads that. A page with a secret repeats nothing of the request, so its size tells nothing. */
export function compressed(request: ApiRequest, response: ApiResponse & { body: string }): ApiResponse {
  const headers = { ...response.headers, vary: 'accept-encoding' }
  if (!/\bgzip\b/.test(request.header('accept-encoding') ?? '')) return { ...response, headers }
  return { ...response, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(response.body) }
}
