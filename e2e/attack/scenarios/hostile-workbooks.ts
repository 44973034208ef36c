import { signIn } from '#e2e/roles/callers.ts'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { startBystander } from './bystander.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const MEGABYTE = 1024 * 1024
const UPLOADS = 4
/** For a good file of another application, beside the hostile ones. */
const UPLOAD_MAX_MS = 2_000
/** An element that takes long to read and says nothing. */
const EMPTY_ELEMENT = '<x a="" b="" c=""/>'
const ROWS = [
  ['Phone', 'Name', 'Amount', 'Operator'],
  ['237677209341', 'Clarisse Mbarga', '5000', 'MOMOCM'],
]

/** One maker uploads workbooks of a few hundred KB that unpack to hundreds of MB, or as much as they may, without pause. */
export const hostileWorkbooks: Scenario = {
  name: 'hostile-workbooks',
  async play(context) {
    const maker = context.arsenal.visitors.find((visitor) => visitor.roles.includes('maker'))
    if (!maker) return ['nobody of the sandbox is a maker']
    const elsewhere = context.service.readSandbox().applications[1]?.people.find((person) => person.roles.includes('maker'))
    if (!elsewhere) return ['nobody of the second application is a maker']
    const cookieElsewhere = await signIn(context.arsenal.baseUrl, elsewhere.email, elsewhere.password)
    const large = many(62)
    const everything = await workbook({
      sheet: sheetXml(large),
      sharedStrings: `<sst>${large}</sst>`,
      styles: `<styleSheet>${large}</styleSheet>`,
      workbook: `<workbook><sheets><sheet name="a" r:id="rId1"/></sheets>${large}</workbook>`,
    })
    const allowed = await workbook({ sheet: sheetXml(`${rowsXml(ROWS)}${large}`) })
    const bystander = startBystander(context)
    const problems: string[] = []
    for (const [what, bytes] of [
      ['five parts of 62 MB', everything],
      ['a sheet of 62 MB', allowed],
    ] as const) {
      const hostile = Array.from({ length: UPLOADS }, () => upload(context, context.arsenal.program.slug, maker.cookie, bytes))
      const good = await uploadElsewhere(context, cookieElsewhere)
      if (good.durationMs > UPLOAD_MAX_MS) problems.push(`${what}: another application's file took ${Math.round(good.durationMs)} ms`)
      if (good.status !== 201) problems.push(`${what}: another application's file was answered ${good.status}`)
      const answers = await Promise.all(hostile)
      const strange = answers.filter(({ status }) => ![201, 422, 503].includes(status))
      if (strange.length > 0) problems.push(`${what}: answered ${strange.map(({ status }) => status).join(', ')}`)
    }
    return [...problems, ...(await bystander.judge())]
  },
}

function many(megabytes: number): string {
  return EMPTY_ELEMENT.repeat(Math.floor((megabytes * MEGABYTE) / EMPTY_ELEMENT.length))
}

type Uploaded = { status: number; durationMs: number }

/** A file of the second application, by one of its makers. */
function uploadElsewhere(context: ScenarioContext, cookie: string): Promise<Uploaded> {
  return upload(context, context.arsenal.other.slug, cookie, Buffer.from(ROWS.map((row) => row.join(';')).join('\n')))
}

async function upload({ arsenal }: ScenarioContext, slug: string, cookie: string, bytes: Buffer): Promise<Uploaded> {
  const startedMs = performance.now()
  const answer = await fetch(`${arsenal.baseUrl}/api/back-office/${slug}/batches?type=DEPOSIT&fileName=paie.xlsx`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/octet-stream', origin: arsenal.baseUrl },
    body: new Uint8Array(bytes),
  })
  await answer.arrayBuffer()
  return { status: answer.status, durationMs: performance.now() - startedMs }
}
