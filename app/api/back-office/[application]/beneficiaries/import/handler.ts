import { createHash } from 'node:crypto'
import { unstable_rethrow } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { beneficiaryImportSchema } from '#lib/schemas/beneficiary.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { findActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { refuseData, refuseThrown } from '#server/back-office/data-route.ts'
import { isFromAnotherSite } from '#server/back-office/file-response.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { digestOf } from '#server/beneficiaries/import/imported-person.ts'
import { readPeople } from '#server/beneficiaries/import/read-people.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { previewPeople } from '#server/reports/beneficiaries/preview-import.ts'

/**
 * A file of beneficiaries, as the body of the request. Without `expects` it answers what the file would change (200) and stores nothing. With the digest of that
 * answer the same file is proposed (201), or refused (409) if it or the book has changed meanwhile. 422: the file cannot be read.
 */
export async function POST(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  try {
    if (isFromAnotherSite(request.headers, 'script')) return refuseData('forbidden')
    const actor = await findActor((await params).application, 'beneficiary:change')
    if (!actor.ok) return refuseData(actor.error)
    const query = readExactAddress(beneficiaryImportSchema, request.nextUrl.searchParams)
    // A page of another origin can send this type only after asking, which is refused.
    const isFile = request.headers.get('content-type') === 'application/octet-stream'
    if (!query.ok || !isFile) return refuseData('invalid')
    const { applicationId } = actor.value
    const { pool, fileReader } = backOfficeRuntime()
    const bytes = new Uint8Array(await request.arrayBuffer())
    // The digest first: the thread that reads the file takes the bytes over.
    const fileSha256 = createHash('sha256').update(bytes).digest('hex')
    const file = await fileReader.read(bytes, applicationId)
    if (!file.ok) return file.error === 'busy' ? refuseData('unavailable') : Response.json({ problem: file.error }, { status: 422 })
    const { fileName, operator, expects } = query.value
    const read = await readPeople(pool, applicationId, file.value, operator ?? null)
    if (!read.ok) return Response.json({ code: read.error }, { status: 422 })
    const people = read.value.people.map(({ person }) => person)
    if (expects === undefined) {
      const words = { t: await getT(), locale: await readLocale(), timeZone: actor.value.businessZone }
      return Response.json(previewPeople(words, read.value), { headers: { 'cache-control': 'private, no-store' } })
    }
    if (expects !== digestOf(people)) return refuseData('changed_meanwhile')
    const input = { fileName, fileSha256, people }
    const proposed = await proposeChange(pool, { applicationId, kind: 'beneficiary.import', input, actor: actor.value })
    if (proposed.ok) return Response.json(proposed.value, { status: 201 })
    return refuseData(typeof proposed.error === 'string' ? proposed.error : proposed.error.reason)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: beneficiary import', error, { message: 'A file of beneficiaries could not be read' })
    return refuseThrown(error)
  }
}
