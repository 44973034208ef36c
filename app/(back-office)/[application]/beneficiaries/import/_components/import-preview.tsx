import { type ReactNode, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { BENEFICIARY_PAGE_SIZE } from '#lib/beneficiaries/beneficiaries.ts'
import { countEffects, IMPORT_EFFECTS, type ImportPreviewDto } from '#lib/beneficiaries/beneficiary-import.ts'
import { ImportedTable } from '../../_components/imported-table.tsx'

const MORE_ROWS = 500

type Props = { preview: ImportPreviewDto; isBusy: boolean; onPropose: () => void }

/** Shows the changes of a file: the rows that are left out first, then everybody whom it adds or changes. */
export function ImportPreview({ preview, isBusy, onPropose }: Props) {
  const { t } = useTranslations()
  const { people, problems, unchanged, dialCodes } = preview
  const counts = countEffects(people)
  return (
    <section aria-labelledby="import-changes" className="grid grid-cols-1 gap-4">
      <div className="grid gap-1">
        <h2 id="import-changes">{t('beneficiaries.import.heading')}</h2>
        <p className="tabular text-ink-2" role="status">
          {people.length === 0
            ? t('beneficiaries.import.nothing', { count: unchanged })
            : [...IMPORT_EFFECTS.map((effect) => [effect, counts[effect]] as const), ['unchanged', unchanged] as const]
                .flatMap(([effect, count]) => (count > 0 ? [t(`beneficiaries.import.count.${effect}`, { count })] : []))
                .join(' · ')}
        </p>
      </div>
      {dialCodes > 0 && <Notice tone="wait">{t('beneficiaries.import.dialCodes', { count: dialCodes })}</Notice>}
      {problems.length > 0 && <LeftOut preview={preview} />}
      {people.length > 0 && (
        <>
          <Part rows={people}>{(part) => <ImportedTable t={t} people={part} />}</Part>
          <div>
            <Button variant="primary" isBusy={isBusy} onClick={onPropose}>
              {t('beneficiaries.import.propose', { count: people.length })}
            </Button>
          </div>
        </>
      )}
    </section>
  )
}

/** The rows that are left out, with the reason of each, and as a file that can be corrected and imported. */
function LeftOut({ preview: { people, problems, problemFile } }: { preview: ImportPreviewDto }) {
  const { t } = useTranslations()
  return (
    <div className="grid grid-cols-1 gap-3">
      <Notice
        tone="wait"
        action={
          <a
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(problemFile)}`}
            download="beneficiaries-left-out.csv"
            className="text-accent underline"
          >
            {t('beneficiaries.import.leftFile')}
          </a>
        }
      >
        {t('beneficiaries.import.left', { count: problems.length })}.{' '}
        {t(people.length > 0 ? 'beneficiaries.import.leftText' : 'beneficiaries.import.leftAll')}
      </Notice>
      <Part rows={problems}>
        {(part) => (
          <ListTable
            label={t('beneficiaries.import.left', { count: problems.length })}
            isList
            rows={part}
            keyOf={({ rowNumber }) => rowNumber}
            columns={[
              { head: t('beneficiaries.import.row'), isLabelled: true, className: 'tabular', cell: ({ rowNumber }) => rowNumber },
              { head: t('beneficiaries.name'), cell: ({ name }) => <bdi className="wrap-anywhere">{name || '–'}</bdi> },
              { head: t('beneficiaries.number'), cell: ({ phoneNumber }) => <bdi className="tabular">{phoneNumber || '–'}</bdi> },
              { head: t('beneficiaries.import.reason'), cell: ({ reason }) => reason },
            ]}
          />
        )}
      </Part>
    </div>
  )
}

/** The first rows of a table, and more of them on request: a file may have thousands. */
function Part<Row>({ rows, children }: { rows: readonly Row[]; children: (part: readonly Row[]) => ReactNode }) {
  const { t } = useTranslations()
  const [count, setCount] = useState(BENEFICIARY_PAGE_SIZE)
  return (
    <>
      {children(rows.slice(0, count))}
      {rows.length > count && (
        <div>
          <Button onClick={() => setCount(count + MORE_ROWS)}>
            {t('beneficiaries.import.more', { count: Math.min(MORE_ROWS, rows.length - count), left: rows.length - count })}
          </Button>
        </div>
      )}
    </>
  )
}
