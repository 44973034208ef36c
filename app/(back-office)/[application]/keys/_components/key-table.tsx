import type { ReactNode } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ListedKey } from '../read-credentials.ts'
import { KeyButtons, ProposeButton } from './credential-buttons.tsx'

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

type KeyTableProps = { t: Translate; application: string; keys: readonly ListedKey[]; mayPropose: boolean }

/** The API keys that work or ended lately: who made each, and from where it was used last. */
export function KeyTable({ t, application, keys, mayPropose }: KeyTableProps) {
  return (
    <CredentialTable
      t={t}
      id="keys"
      title={t('credentials.keys')}
      text={t('credentials.keysText')}
      buttons={mayPropose && <ProposeButton application={application} form="key" label={t('credentials.newKey')} />}
      empty={keys.length === 0 ? <p className="mt-3 text-quiet">{t('credentials.noKeys')}</p> : null}
      heads={[t('credentials.name'), t('credentials.lastUsed'), t('credentials.created'), t('credentials.state')]}
    >
      {keys.map((key) => (
        <Tr key={key.apiKeyId}>
          <Td className="@max-[560px]/card:basis-full">
            <span className="block font-medium wrap-anywhere">{key.name}</span>
            <span className="block text-second text-quiet">{key.keyPrefix}…</span>
            {key.scopes && (
              <span className="block text-second text-quiet">
                {t('credentials.limitedTo', { scopes: key.scopes.map((scope) => t(`credentials.scope.${scope}`)).join(', ') })}
              </span>
            )}
          </Td>
          <Td label={t('credentials.lastUsed')}>
            <LastUses t={t} uses={key.uses} />
          </Td>
          <Td label={t('credentials.created')}>
            <TimeText at={key.createdAt} />
            {key.createdBy && <span className="block text-second text-quiet">{key.createdBy}</span>}
          </Td>
          <Td>
            <State t={t} apiKey={key} />
          </Td>
          <Td align="end">
            {(key.state === 'works' || key.state === 'ends') && (
              <KeyButtons
                application={application}
                apiKeyId={key.apiKeyId}
                name={key.name}
                mayRotate={mayPropose && key.state === 'works'}
              />
            )}
          </Td>
        </Tr>
      ))}
    </CredentialTable>
  )
}

/** The latest address, and the others behind a disclosure: a stolen key shows itself by an address that nobody knows. */
function LastUses({ t, uses }: { t: Translate; uses: ListedKey['uses'] }) {
  const [last, ...others] = uses
  if (!last) return <span className="text-quiet">{t('credentials.neverUsed')}</span>
  return (
    <>
      <Use use={last} />
      {others.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer text-second text-ink-2">{t('credentials.otherAddresses', { count: others.length })}</summary>
          {others.map((use) => (
            <Use key={use.address} use={use} />
          ))}
        </details>
      )}
    </>
  )
}

function Use({ use }: { use: ListedKey['uses'][number] }) {
  return (
    <span className="block">
      <TimeText at={use.lastAt} className="block" />
      <span className="block text-second text-quiet wrap-anywhere">{use.address}</span>
    </span>
  )
}

function State({ t, apiKey: { state, endsAt } }: { t: Translate; apiKey: ListedKey }) {
  if (state === 'works') return <Badge tone="ok">{t('credentials.works')}</Badge>
  return (
    <>
      <Badge tone={state === 'ends' ? 'wait' : 'neutral'}>{t(`credentials.${state}`)}</Badge>
      {endsAt && <TimeText at={endsAt} className="block text-second text-quiet" />}
    </>
  )
}
