import { BATCH_FIELDS, type BatchField } from '#lib/batch-file/batch-fields.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { writeTextWorkbook } from './text-workbook.ts'

const EXAMPLES: readonly Readonly<Record<BatchField, string>>[] = [
  { phone: '237690441208', amount: '25000', name: 'Clarisse Mbarga', operator: 'OMCM', country: '' },
  { phone: '2290197123456', amount: '12500', name: 'Koffi Adjovi', operator: 'BJMTN', country: '' },
]

/** An empty file with the headers that are recognised and two rows as an example, in the language of the person. */
export function batchTemplate(t: Translate, format: 'csv' | 'xlsx'): AsyncGenerator<Buffer, void, undefined> {
  const heads = BATCH_FIELDS.map((field) => t(`batches.template.${field}`))
  const rows = EXAMPLES.map((example) => BATCH_FIELDS.map((field) => example[field]))
  return format === 'xlsx' ? writeTextWorkbook(t('batches.template.sheet'), heads, parts(rows)) : csv([heads, ...rows])
}

/** With semicolons and a byte order mark, which spreadsheets in both languages open in columns. */
async function* csv(lines: readonly (readonly string[])[]): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(`\ufeff${lines.map((cells) => cells.join(';')).join('\r\n')}\r\n`)
}

async function* parts(rows: string[][]): AsyncGenerator<string[][]> {
  yield rows
}
