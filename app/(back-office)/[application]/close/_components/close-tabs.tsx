import { Tabs } from '#components/ui/display/page.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'

type Props = {
  t: Translate
  application: string
  current: 'board' | 'statements' | 'exceptions' | 'adjustments' | 'fees' | 'journal' | 'wallets'
}

/** The parts of the close of day. */
export function CloseTabs({ t, application, current }: Props) {
  const places = {
    board: paths.close(application),
    statements: paths.statements(application),
    exceptions: paths.exceptions(application),
    adjustments: paths.adjustments(application),
    fees: paths.fees(application),
    journal: paths.journal(application),
    wallets: paths.wallets(application),
  } as const
  const names = ['board', 'statements', 'exceptions', 'adjustments', 'fees', 'journal', 'wallets'] as const
  return (
    <div className="mt-3">
      <Tabs
        label={t('frame.close')}
        tabs={names.map((name) => ({ href: places[name], label: t(`close.${name}`), isCurrent: name === current }))}
      />
    </div>
  )
}
