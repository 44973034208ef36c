import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { ProposalDialog } from '../../../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../../../_components/changes/use-proposal.ts'
import { signDay } from '../../../../actions.ts'
import { SIGN_WORDS } from './sign-words.ts'

type Props = { application: string; wallet: string; day: string; onClose: () => void }

/** Says once more what is signed, and asks for a fresh code or passkey where one is required. */
export function SignDialog({ application, wallet, day, prepared, onClose }: Props & { prepared: { hash: string; by: string } }) {
  const t = useT()
  const sign = (proof?: ProofAnswer) => signDay(application, { wallet, day, hash: prepared.hash, ...(proof && { proof }) })
  const { run, error, isPending, proofDialog } = useAction(() => sign(), {
    words: SIGN_WORDS,
    withProof: sign,
    refreshes: 'answered',
    said: () => t('close.sign.signed'),
    onDone: onClose,
  })
  return (
    <>
      <FormDialog
        title={t('close.sign.signTitle')}
        submitLabel={t('close.sign.sign')}
        isPending={isPending}
        error={error}
        onSubmit={() => run()}
        onClose={onClose}
      >
        <p className="font-strong">
          {walletText(t, wallet)} · {dayText(t, day)}
        </p>
        <p>{t('close.sign.signText', { name: prepared.by })}</p>
        <p className="text-second text-quiet">
          {t('close.sign.hash')} <code className="wrap-anywhere">{prepared.hash}</code>
        </p>
      </FormDialog>
      {/* A form of its own. */}
      {proofDialog}
    </>
  )
}

/** Proposes to reopen a signed day, with the reason for the second administrator. */
export function ReopenDialog({ application, wallet, day, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  return (
    <ProposalDialog
      title={t('close.sign.reopenTitle')}
      proposal={proposal}
      onSubmit={(form) => proposal.propose('day.reopen', { wallet, day, note: String(form.get('note') ?? '').trim() })}
      onClose={onClose}
    >
      <p>
        {walletText(t, wallet)} · {dayText(t, day)}
      </p>
      <TextField id="reopen-note" name="note" label={t('close.sign.reason')} autoComplete="off" maxLength={500} required />
    </ProposalDialog>
  )
}
