/** One answer. `headers` are those besides Content-Type and Content-Length. */
export type ApiResponse = {
  readonly status: number
  readonly body: string
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json'

/** A 200 whose body is already JSON text. */
export function jsonResponse(body: string): ApiResponse {
  return { status: 200, body, contentType: JSON_TYPE }
}
