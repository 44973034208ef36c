import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { isShownWebhookUrl, WEBHOOK_URL_LENGTH_MAX } from '#lib/text/web-address.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

/** Proposes another address for events, or none. */
export function EventReceiverDialog({ application, url, onClose }: { application: string; url: string | null; onClose: () => void }) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const address = String(form.get('eventsUrl') ?? '').trim()
    if (address !== '' && !isShownWebhookUrl(address)) return proposal.setError(t('webhooks.eventsUrlWrong'))
    proposal.propose('event_receiver.set', { eventsUrl: address === '' ? null : address })
  }
  return (
    <ProposalDialog title={t('webhooks.eventsChange')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <TextField
        id="events-url"
        name="eventsUrl"
        label={t('webhooks.eventsUrl')}
        hint={t('webhooks.eventsUrlHint')}
        defaultValue={url ?? ''}
        inputMode="url"
        maxLength={WEBHOOK_URL_LENGTH_MAX}
      />
    </ProposalDialog>
  )
}
