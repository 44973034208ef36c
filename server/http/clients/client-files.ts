import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage } from '#lib/partner/reference.ts'
import { describeApi } from './describe-api.ts'
import { writePhp } from './write-php.ts'
import { writePython } from './write-python.ts'
import { writeTypeScript } from './write-typescript.ts'

const WRITERS = { typescript: writeTypeScript, python: writePython, php: writePhp } as const

/** Each client as the repository has it, and as the OpenAPI document makes it now. */
export function makeClients(): { path: string; text: string; generated: string }[] {
  const api = describeApi()
  return CLIENT_LANGUAGES.map((language) => {
    const text = readClient(language)
    const { types, operations } = WRITERS[language](api)
    return { path: pathOf(language), text, generated: replacePart(replacePart(text, 'types', types), 'operations', operations) }
  })
}

/** The file is read from the folder in which the service is started: a bundle of Next has no files beside it. */
export function readClient(language: ClientLanguage): string {
  return readFileSync(pathOf(language), 'utf8')
}

function pathOf(language: ClientLanguage): string {
  return join(/* turbopackIgnore: true */ process.cwd(), 'server/http/clients/files', CLIENT_FILES[language])
}

/** The text with everything between the two lines that mark a part replaced. Throws if it has no such lines. */
function replacePart(text: string, part: string, content: string): string {
  const lines = text.split('\n')
  const [begin, end] = ['begin', 'end'].map((mark) => lines.findIndex((line) => line.endsWith(`npm run clients: ${mark} ${part}`)))
  if (begin === undefined || end === undefined || begin < 0 || end <= begin) throw new Error(`The client needs the marks of ${part}.`)
  return [...lines.slice(0, begin + 1), content, ...lines.slice(end)].join('\n')
}
