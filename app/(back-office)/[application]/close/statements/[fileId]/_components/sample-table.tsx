import type { Translate } from '#lib/i18n/translate.ts'

/** Enough to see what a column has. */
const ROWS_SHOWN = 8

type Props = { t: Translate; sample: readonly (readonly string[])[]; headerAt: number }

/** The first rows of a file as it prints them, from its header on. */
export function SampleTable({ t, sample, headerAt }: Props) {
  const [header = [], ...rows] = sample.slice(headerAt, headerAt + ROWS_SHOWN)
  const width = Math.max(header.length, ...rows.map((row) => row.length))
  const places = Array.from({ length: width }, (_, place) => place)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the arrow keys.
    <section tabIndex={0} aria-label={t('statements.firstRows')} className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="text-second">
        <thead>
          <tr>
            {places.map((place) => (
              <th key={place} scope="col" className="whitespace-nowrap border-line border-b px-2.5 py-1.5 text-start font-strong">
                {place + 1}. {header[place]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other name and never change their order.
            <tr key={number}>
              {places.map((place) => (
                <td key={place} className="max-w-60 truncate px-2.5 py-1">
                  {row[place]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
