import type { DataColumnMeta } from './features.ts'

const NARROW: Record<NonNullable<DataColumnMeta['narrow']>, string> = {
  lead: 'col-start-2 row-start-1',
  'lead-second': 'col-start-2 row-start-2 text-second text-quiet',
  end: 'col-start-3 row-start-1 text-right',
  'end-second': 'col-start-3 row-start-2 text-right text-second text-quiet',
  hidden: 'hidden',
}

/** Tailwind finds only complete class names, so each one is written out with its condition. */
export function narrowClass(narrow: DataColumnMeta['narrow'] = 'hidden'): string {
  return NARROW[narrow]
    .split(' ')
    .map((name) => NARROW_CLASSES[name] ?? '')
    .join(' ')
}

const NARROW_CLASSES: Readonly<Record<string, string>> = {
  'col-start-2': '@max-[640px]/table:col-start-2',
  'col-start-3': '@max-[640px]/table:col-start-3',
  'row-start-1': '@max-[640px]/table:row-start-1',
  'row-start-2': '@max-[640px]/table:row-start-2',
  'text-right': '@max-[640px]/table:text-right',
  'text-second': '@max-[640px]/table:text-second',
  'text-quiet': '@max-[640px]/table:text-quiet',
  hidden: '@max-[640px]/table:hidden',
}
