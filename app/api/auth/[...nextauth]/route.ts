import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '#server/http/back-office/auth-options.ts'
import { backOfficeRuntime } from '#server/http/back-office/back-office-runtime.ts'
import { readAuthRequest } from '#server/http/back-office/read-auth-request.ts'
import { refuseRequest } from '#server/http/back-office/refuse-request.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

async function handle(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params
  const checked = await readAuthRequest(request, nextauth, backOfficeRuntime().config.publicUrl)
  return checked.ok ? NextAuth(checked.value, context, authOptions()) : refuseRequest(checked.error, request)
}

export { handle as GET, handle as POST }
