import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { RuleVersion } from '#server/policy/read-rules.ts'

/** All versions, the newest first, with who wrote and who activated each. */
export function VersionTable({ t, application, versions }: { t: Translate; application: string; versions: readonly RuleVersion[] }) {
  if (versions.length === 0) return null
  return (
    <div className="mt-6">
      <h2>{t('rules.versions')}</h2>
      <TableCard label={t('rules.versions')} className="mt-2">
        <Table
          caption={t('rules.versions')}
          isList
          head={
            <>
              <Th>{t('rules.column.version')}</Th>
              <Th>{t('rules.column.state')}</Th>
              <Th align="end">{t('rules.column.rules')}</Th>
              <Th>{t('rules.column.proposed')}</Th>
              <Th>{t('rules.column.activated')}</Th>
            </>
          }
        >
          {versions.map((version) => (
            <Tr key={version.version}>
              <Td>
                <Link href={paths.ruleVersion(application, version.version)} className="font-medium underline">
                  {t('rules.version', { version: version.version })}
                </Link>
              </Td>
              <Td>
                <VersionBadge t={t} version={version} />
              </Td>
              <Td align="end" label={t('rules.column.rules')}>
                {version.rules?.length ?? '–'}
              </Td>
              <Td label={t('rules.column.proposed')}>
                <By t={t} name={version.proposedBy?.name ?? null} at={version.proposedAt} />
              </Td>
              <Td label={t('rules.column.activated')}>
                {version.activatedAt === null ? '–' : <By t={t} name={version.activatedBy} at={version.activatedAt} />}
              </Td>
            </Tr>
          ))}
        </Table>
      </TableCard>
    </div>
  )
}

export function VersionBadge({ t, version }: { t: Translate; version: RuleVersion }) {
  if (version.isActive) {
    return (
      <Badge tone="ok" hasDot>
        {t('rules.state.active')}
      </Badge>
    )
  }
  return <Badge>{t(version.activatedAt === null ? 'rules.state.draft' : 'rules.state.earlier')}</Badge>
}

function By({ t, name, at }: { t: Translate; name: string | null; at: string }) {
  return (
    <>
      {name ?? t('rules.commandLine')} <TimeText at={at} className="text-quiet" />
    </>
  )
}
