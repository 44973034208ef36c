/** One response. `headers` are those other than Content-Type and Content-Length. */
export type ApiResponse = {
  readonly status: number
  /** A text that many responses share is a Buffer, because Node keeps a copy of a string for every response that waits to be sent. */
  readonly body: string | Buffer<ArrayBuffer>
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json'

/** Returns a 200 whose body is already JSON text. */
export function jsonResponse(body: string | Buffer<ArrayBuffer>): ApiResponse {
  return { status: 200, body, contentType: JSON_TYPE }
}
