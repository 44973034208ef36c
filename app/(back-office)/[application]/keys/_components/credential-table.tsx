import type { ReactNode } from 'react'
import { Table, Th } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { SectionHead } from './section-head.tsx'

type Props = {
  t: Translate
  id: string
  title: string
  text: string
  /** Beside the title. */
  buttons: ReactNode
  /** In place of an empty table; null if there are rows. */
  empty: ReactNode
  /** The heads of all columns but the last, which has the actions. */
  heads: readonly string[]
  /** The rows. */
  children: ReactNode
}

/** One kind of credentials as a section with its table. */
export function CredentialTable({ t, id, title, text, buttons, empty, heads, children }: Props) {
  return (
    <div className="mt-8">
      <SectionHead id={id} title={title} text={text}>
        {buttons}
      </SectionHead>
      {empty ?? (
        <TableCard label={title} className="mt-3">
          <Table
            caption={title}
            isList
            head={
              <>
                {heads.map((head) => (
                  <Th key={head}>{head}</Th>
                ))}
                <Th>
                  <span className="sr-only">{t('credentials.actions')}</span>
                </Th>
              </>
            }
          >
            {children}
          </Table>
        </TableCard>
      )}
    </div>
  )
}
