/** One HTTP answer as it came off the wire. */
export type Answer = {
  status: number
  /** Names in lower case; a name that came several times is joined with commas. */
  headers: Readonly<Record<string, string>>
  /** At most the first 64 KB. */
  body: string
  bodyBytes: number
}

const BODY_KEPT_MAX = 64 * 1024
const HEAD_END = '\r\n\r\n'

type Body = { kind: 'length'; left: number } | { kind: 'chunked' } | { kind: 'untilClose' }

/** Reads answers out of raw bytes, one after the other. Interim answers (1xx) are skipped. Never throws: bytes that are not HTTP are noted. */
export class AnswerReader {
  readonly answers: Answer[] = []
  /** Bytes that are not an HTTP answer, where one was expected. */
  garbage: string | undefined
  bytesRead = 0
  #methods: readonly string[]
  #rest: Buffer = Buffer.alloc(0)
  #head: { status: number; headers: Record<string, string> } | undefined
  #body: Body | undefined
  #kept: Buffer[] = []
  #keptBytes = 0
  #bodyBytes = 0

  /** `methods`: those of the requests in order. */
  constructor(methods: readonly string[]) {
    this.#methods = methods
  }

  push(bytes: Buffer): void {
    this.bytesRead += bytes.length
    if (this.garbage !== undefined) return
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#step());
  }

  /** The connection has ended: an answer without a declared length ends with it. */
  end(): void {
    if (this.#head && this.#body?.kind === 'untilClose') this.#finish()
  }

  /** Whether an answer has started and is not complete. */
  get isInside(): boolean {
    return this.#head !== undefined || this.#rest.length > 0
  }

  /** The head of an answer whose body has not ended, for streams. */
  get openHead(): { status: number; headers: Readonly<Record<string, string>>; body: string } | undefined {
    return this.#head && { ...this.#head, body: Buffer.concat(this.#kept).toString('utf8') }
  }

  #step(): boolean {
    if (!this.#head) return this.#readHead()
    switch (this.#body?.kind) {
      case 'length':
        return this.#readLength(this.#body)
      case 'chunked':
        return this.#readChunk()
      default:
        this.#keep(this.#rest)
        this.#rest = Buffer.alloc(0)
        return false
    }
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf(HEAD_END)
    if (end < 0) {
      if (this.#rest.length >= 5 && !this.#rest.subarray(0, 5).equals(Buffer.from('HTTP/')))
        this.garbage = this.#rest.toString('latin1', 0, 80)
      return false
    }
    const [statusLine = '', ...lines] = this.#rest.toString('latin1', 0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? NaN)
    if (Number.isNaN(status)) {
      this.garbage = statusLine.slice(0, 80)
      return false
    }
    this.#rest = this.#rest.subarray(end + HEAD_END.length)
    if (status < 200) return this.#rest.length > 0
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim().toLowerCase()
      const value = line.slice(colon + 1).trim()
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
    }
    this.#head = { status, headers }
    this.#body = this.#bodyOf(status, headers)
    if (this.#body.kind === 'length' && this.#body.left === 0) this.#finish()
    return true
  }

  #bodyOf(status: number, headers: Record<string, string>): Body {
    const method = this.#methods[Math.min(this.answers.length, this.#methods.length - 1)]
    if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'length', left: 0 }
    if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return { kind: 'chunked' }
    const length = headers['content-length']
    return length === undefined ? { kind: 'untilClose' } : { kind: 'length', left: Number(length) }
  }

  #readLength(body: { left: number }): boolean {
    const piece = this.#rest.subarray(0, body.left)
    this.#keep(piece)
    body.left -= piece.length
    this.#rest = this.#rest.subarray(piece.length)
    if (body.left > 0) return false
    this.#finish()
    return this.#rest.length > 0
  }

  #readChunk(): boolean {
    const lineEnd = this.#rest.indexOf('\r\n')
    if (lineEnd < 0) return false
    const size = Number.parseInt(this.#rest.toString('latin1', 0, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (Number.isNaN(size)) {
      this.garbage = this.#rest.toString('latin1', 0, 80)
      return false
    }
    if (this.#rest.length < end) return false
    this.#keep(this.#rest.subarray(lineEnd + 2, end - 2))
    this.#rest = this.#rest.subarray(end)
    if (size === 0) this.#finish()
    return this.#rest.length > 0
  }

  #keep(piece: Buffer): void {
    this.#bodyBytes += piece.length
    if (this.#keptBytes >= BODY_KEPT_MAX) return
    const kept = Buffer.from(piece.subarray(0, BODY_KEPT_MAX - this.#keptBytes))
    this.#kept.push(kept)
    this.#keptBytes += kept.length
  }

  #finish(): void {
    if (!this.#head) return
    this.answers.push({ ...this.#head, body: Buffer.concat(this.#kept).toString('utf8'), bodyBytes: this.#bodyBytes })
    this.#head = undefined
    this.#body = undefined
    this.#kept = []
    this.#keptBytes = 0
    this.#bodyBytes = 0
  }
}
