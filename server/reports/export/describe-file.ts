import type { ExportFormat } from '#lib/export-formats.ts'

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The media type of an exported list, and its name: the same for every download. */
export function describeFile(
  application: string,
  { format, cutOffAt }: { format: ExportFormat; cutOffAt: Date },
): { type: string; fileName: string } {
  const at = cutOffAt.toISOString().slice(0, 19).replaceAll(':', '-')
  return { type: TYPES[format], fileName: `transactions-${application}-${at}Z.${format}` }
}
