import { createHash } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { isLocale, LANGUAGE_COOKIE, localeFromHeader } from '#lib/i18n/locale.ts'
import { pagePolicy } from '#lib/pages/page-policy.ts'
import { isSampleLanguage, SAMPLE_COOKIE } from '#lib/partner/reference.ts'
import { isTheme, THEME_COOKIE } from '#lib/people/viewer.ts'

type StoredPage = { headers: string[]; plain: Buffer; zipped: Buffer }

/** Pages that are the same for every reader without a session. One per front door. */
type PageMemory = {
  /**
   * Answers from memory; a page that is not there yet is rendered once for everybody who waits for it. `render` receives the only headers
   * that the page may depend on, and resolves with undefined if it could not be rendered now. `unfit`: the answer of Next is none
   * that can be kept, and nothing was written.
   */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, render: Render): Promise<'answered' | 'busy' | 'unfit'>
}

type Render = (headers: Readonly<Record<string, string>>) => Promise<RenderedDocument | undefined>

/** The pages of the reference in both languages are 7 MB, in each theme and with each language of examples ten times that. */
const BYTES_MAX = 8 * 1024 * 1024
const zip = promisify(gzip)

/** Makes an empty memory. Beyond `bytesMax` it forgets the pages that were not requested for the longest time. */
export function createPageMemory({ bytesMax = BYTES_MAX }: { bytesMax?: number } = {}): PageMemory {
  const pages = new Map<string, StoredPage>()
  const inProgress = new Map<string, Promise<StoredPage | 'busy' | 'unfit'>>()
  let bytes = 0

  async function fill(key: string, headers: Readonly<Record<string, string>>, render: Render): Promise<StoredPage | 'busy' | 'unfit'> {
    const rendered = await render(headers)
    if (!rendered) return 'busy'
    if (rendered.status !== 200 || rendered.headers.some(([name]) => name.toLowerCase() === 'set-cookie')) return 'unfit'
    const page = await toStored(rendered)
    pages.set(key, page)
    bytes += sizeOf(page)
    for (const [oldest, forgotten] of pages) {
      if (bytes <= bytesMax || oldest === key) break
      pages.delete(oldest)
      bytes -= sizeOf(forgotten)
    }
    return page
  }

  return {
    async answer(incoming, outgoing, render) {
      const headers = headersThatMatter(incoming)
      const key = JSON.stringify([incoming.url, headers])
      const known = pages.get(key)
      if (known) {
        // A Map iterates in order of insertion: putting it back makes it the youngest.
        pages.delete(key)
        pages.set(key, known)
        write(incoming, outgoing, known)
        return 'answered'
      }
      const filling = inProgress.get(key) ?? fill(key, headers, render).finally(() => inProgress.delete(key))
      inProgress.set(key, filling)
      const page = await filling
      if (typeof page === 'string') return page
      if (!outgoing.destroyed) write(incoming, outgoing, page)
      return 'answered'
    },
  }
}

/**
 * All that a page without a session may depend on, in one spelling: theme, languages, and whether the reader came over https. Whatever else
 * the first reader sent (another cookie, a forged Host) cannot get into a page that everybody is sent.
 */
function headersThatMatter({ headers }: IncomingMessage): Record<string, string> {
  const cookies = new Map((headers.cookie ?? '').split(';').map((pair) => splitPair(pair.trim())))
  const [theme, language, samples] = [cookies.get(THEME_COOKIE), cookies.get(LANGUAGE_COOKIE), cookies.get(SAMPLE_COOKIE)]
  const kept = [
    ...(isTheme(theme) ? [`${THEME_COOKIE}=${theme}`] : []),
    ...(isSampleLanguage(samples) ? [`${SAMPLE_COOKIE}=${samples}`] : []),
  ]
  return {
    host: 'localhost',
    accept: 'text/html',
    'accept-language': isLocale(language) ? language : localeFromHeader(headers['accept-language'] ?? null),
    ...(kept.length > 0 && { cookie: kept.join('; ') }),
    ...(headers['x-forwarded-proto'] === 'https' && { 'x-forwarded-proto': 'https' }),
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)]
}

/**
 * A nonce is for one answer, and this one is for many: the scripts of the page are allowed by their hashes instead. They are the whole of
 * it, so nothing that is added to the page later could run.
 */
async function toStored({ headers, body }: RenderedDocument): Promise<StoredPage> {
  const policy = headers.find(([name]) => name.toLowerCase() === 'content-security-policy')?.[1] ?? ''
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  if (nonce === undefined) return { headers: headers.flatMap(withoutLength), plain: body, zipped: await zip(body) }
  const text = body.toString('utf8').replaceAll(nonce, '')
  const hashed = pagePolicy({ scripts: hashesOf(text, 'script'), styles: hashesOf(text, 'style') })
  const plain = Buffer.from(text)
  const kept = headers.map(([name, value]): [string, string] => [
    name,
    name.toLowerCase() === 'content-security-policy' ? hashed : value.replaceAll(`; nonce="${nonce}"`, ''),
  ])
  return { headers: kept.flatMap(withoutLength), plain, zipped: await zip(plain) }
}

/** Headers that say how one answer was sent are written separately for each. */
function withoutLength([name, value]: [string, string]): string[] {
  return ['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'date'].includes(name.toLowerCase()) ? [] : [name, value]
}

function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const contents = [...html.matchAll(new RegExp(`<${element}(?![^>]* src=)[^>]*>([^]*?)</${element}>`, 'g'))].map(
    ([, content = '']) => content,
  )
  return [...new Set(contents.map((content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`))]
}

function sizeOf({ plain, zipped }: StoredPage): number {
  return plain.length + zipped.length
}

function write(incoming: IncomingMessage, outgoing: ServerResponse, { headers, plain, zipped }: StoredPage): void {
  const accepted = String(incoming.headers['accept-encoding'] ?? '')
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted)
  const body = isZipped ? zipped : plain
  outgoing.writeHead(200, [...headers, ...(isZipped ? ['Content-Encoding', 'gzip'] : []), 'Content-Length', String(body.length)])
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}

/** Nothing that such a page needs takes this long: it would never end. */
const RENDER_MS_MAX = 10_000

/** A whole answer of Next, in memory. */
type RenderedDocument = { status: number; headers: [name: string, value: string][]; body: Buffer }

/**
 * Renders the document at `path` as if a reader with just these headers had requested it, and returns the whole answer. No client is
 * involved: one that leaves, or reads slowly, changes nothing. Rejects if the answer was cut off, or not there after ten seconds.
 */
export function renderDocument(
  path: string,
  headers: Readonly<Record<string, string>>,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
): Promise<RenderedDocument> {
  const incoming = new IncomingMessage(new Socket())
  incoming.method = 'GET'
  incoming.url = path
  // Without chunks: what is written after the head is the body as it is.
  incoming.httpVersion = '1.0'
  incoming.httpVersionMajor = 1
  incoming.httpVersionMinor = 0
  Object.assign(incoming.headers, headers)
  incoming.complete = true
  incoming.push(null)
  const outgoing = new ServerResponse(incoming)
  const chunks: Buffer[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  // The one part of a socket that an answer uses is that of a stream.
  outgoing.assignSocket(sink as Socket)
  // A server passes this on for its sockets.
  sink.on('drain', () => outgoing.emit('drain'))
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => sink.destroy(), RENDER_MS_MAX)
    outgoing.once('finish', () => {
      clearTimeout(timer)
      const bytes = Buffer.concat(chunks)
      sink.destroy()
      const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
      resolve({ status: outgoing.statusCode, headers: headersOf(outgoing), body })
    })
    outgoing.once('close', () => reject(new Error(`The document at ${path} was cut off`)))
    outgoing.once('error', reject)
    handle(incoming, outgoing)
  })
}

function headersOf(outgoing: ServerResponse): [string, string][] {
  return Object.entries(outgoing.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
  )
}
