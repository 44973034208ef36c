import { renderRefusal } from '#server/http/door/refusal.ts'

/** The refusal of a route handler that people may call with a form or a link: a page for them, `{ code }` for programs. `status` is a 4xx. */
export function refuseRequest(status: number, request: Request): Response {
  const { headers, contentType, body } = renderRefusal(
    { status },
    {
      path: new URL(request.url).pathname,
      accept: request.headers.get('accept'),
      cookie: request.headers.get('cookie'),
      acceptLanguage: request.headers.get('accept-language'),
      isAction: false,
    },
  )
  return new Response(body, { status, headers: { ...headers, 'content-type': contentType } })
}
