import NextAuth from 'next-auth'
import type { NextRequest } from 'next/server'
import { authOptions } from '#server/http/back-office/auth-options.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

async function handle(request: NextRequest, context: Context): Promise<Response> {
  return NextAuth(request, context, authOptions())
}

export { handle as GET, handle as POST }
