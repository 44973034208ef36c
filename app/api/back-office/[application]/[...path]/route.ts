import type { NextRequest } from 'next/server'
import { refuseData } from '#server/back-office/data-route.ts'
import { findData } from './data-table.ts'

type Props = { params: Promise<{ application: string; path: string[] }> }

export async function GET(request: NextRequest, { params }: Props): Promise<Response> {
  const { application, path } = await params
  const found = findData(path)
  return found ? found.answer(application, request.nextUrl.searchParams, found.segment) : refuseData('not_found')
}
