import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { paths } from '#lib/paths.ts'
import { getT } from '#server/back-office/preferences.ts'

/** What became of a batch after its submission. */
export async function BatchRun({ application, batchId }: { application: string; batchId: string }) {
  const t = await getT()
  return (
    <Notice action={<ButtonLink href={paths.transactions(application, { batch: batchId })}>{t('batches.openTransactions')}</ButtonLink>}>
      {t('batches.submittedText')}
    </Notice>
  )
}
