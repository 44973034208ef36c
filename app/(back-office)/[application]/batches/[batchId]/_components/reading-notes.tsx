import type { FileReading } from '#lib/batch-file/file-problem.ts'
import type { Translate } from '#lib/i18n/translate.ts'

const ENCODINGS = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16', 'utf-16be': 'UTF-16', 'windows-1252': 'Windows-1252' } as const

/** How the file was read, and what of it was not. */
export function ReadingNotes({ reading, t }: { reading: FileReading; t: Translate }) {
  const notes = [
    reading.sheet !== null && t('batches.reading.sheet', { sheet: reading.sheet }),
    reading.otherSheets.length > 0 && t('batches.reading.otherSheets', { sheets: reading.otherSheets.join(', ') }),
    reading.encoding !== null &&
      t('batches.reading.text', {
        encoding: ENCODINGS[reading.encoding],
        separator: reading.separator === '\t' ? t('batches.reading.tab') : (reading.separator ?? ''),
      }),
    reading.hiddenRows > 0 && t('batches.reading.hiddenRows', { count: reading.hiddenRows }),
    reading.rowsAbove > 0 && t('batches.reading.rowsAbove', { count: reading.rowsAbove }),
  ].filter((note) => note !== false)
  return <p className="text-second text-quiet">{notes.join(' ')}</p>
}
