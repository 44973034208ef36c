import type { NextRequest } from 'next/server'
import { refuseData } from '#server/back-office/data-route.ts'
import { findData } from './data-table.ts'
import { findFile } from './file-table.ts'

type Context = { params: Promise<{ application: string; path: string[] }> }

export const GET = (request: NextRequest, context: Context) => answer('GET', request, context)
export const POST = (request: NextRequest, context: Context) => answer('POST', request, context)

async function answer(method: 'GET' | 'POST', request: NextRequest, { params }: Context): Promise<Response> {
  const { application, path } = await params
  // First, because `transactions/export` would be a transaction among the data.
  const file = findFile(path)
  if (file) {
    return (
      file.value[method]?.(request, { params: Promise.resolve({ application, ...file.segments }) }) ?? new Response(null, { status: 405 })
    )
  }
  const data = findData(path)
  if (!data) return refuseData('not_found')
  return method === 'GET' ? data.answer(application, request.nextUrl.searchParams, data.segment) : new Response(null, { status: 405 })
}
