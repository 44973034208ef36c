/** One answer. `headers` are those besides Content-Type and Content-Length. */
export type ApiResponse = {
  readonly status: number
  /** A text that many answers share is a Buffer: node keeps a copy of a text for every answer that waits to be sent. */
  readonly body: string | Buffer<ArrayBuffer>
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json'

/** A 200 whose body is already JSON text. */
export function jsonResponse(body: string | Buffer<ArrayBuffer>): ApiResponse {
  return { status: 200, body, contentType: JSON_TYPE }
}
