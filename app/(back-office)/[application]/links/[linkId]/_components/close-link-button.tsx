'use client'

import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { closeLink } from '../../actions.ts'

type Props = { application: string; linkId: string }

/** Asks whether the link is closed for good. */
export function CloseLinkButton(props: Props) {
  const t = useT()
  return <DialogButton dialog={(onClose) => <CloseDialog {...props} onClose={onClose} />}>{t('links.close')}</DialogButton>
}

function CloseDialog({ application, linkId, onClose }: Props & { onClose: () => void }) {
  const t = useT()
  const { run, isPending, error } = useAction(() => closeLink(application, { linkId }), {
    words: { not_permitted: 'action.forbidden', not_found: 'action.not_found' },
    refreshes: 'answered',
    said: () => t('links.closedSaid'),
    onDone: onClose,
  })
  return (
    <FormDialog
      title={t('links.close')}
      submitLabel={t('links.close')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run()}
      onClose={onClose}
    >
      <p>{t('links.closeText')}</p>
    </FormDialog>
  )
}
