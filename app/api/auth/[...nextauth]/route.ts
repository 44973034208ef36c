import { redirect } from 'next/navigation'
import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { paths } from '#lib/pages/paths.ts'
import { refuseRequest } from '#server/back-office/file-response.ts'
import { authOptions, readAuthCall } from '#server/back-office/session/auth-options.ts'
import { answerSignOn, PROVIDER_ID } from '#server/back-office/session/single-sign-on.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

/** next-auth's own addresses, those that this product offers; see auth-call.ts. */
async function handle(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params
  const call = await readAuthCall(request, nextauth)
  if (!call.ok && call.error === 'start_over') redirect(paths.signIn())
  if (!call.ok) return refuseRequest(call.error === 'not_found' ? 404 : 400, request)
  const answer: Response = await NextAuth(call.value, { params: { nextauth } }, authOptions())
  // Reading a session does not renew it.
  if (nextauth[0] === 'session') answer.headers.delete('set-cookie')
  return nextauth[1] === PROVIDER_ID ? answerSignOn(answer) : answer
}

export { handle as GET, handle as POST }
