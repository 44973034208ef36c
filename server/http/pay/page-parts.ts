import { createHash } from 'node:crypto'

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

export const STYLE =
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

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
