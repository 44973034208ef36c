import { useId, useState } from 'react'
import { MerchantLogo } from '#components/domain/merchant-logo.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import {
  type CustomerPageTerms,
  isReturnUrl,
  LOGO_BYTES_MAX,
  logoAddress,
  readLogo,
  SUPPORT_LENGTH_MAX,
  typeOf,
} from '#lib/partner/customer-page.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = { application: string; page: CustomerPageTerms; onClose: () => void }
type Problems = Partial<Record<'returnUrl' | 'offersRetry', MessageKey>>

/** Proposes what customers see on the page on which they pay. */
export function CustomerPageDialog({ application, page, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const [logo, setLogo] = useState(page.logo)
  const [problems, setProblems] = useState<Problems>({})
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim() || null
    const [support, returnUrl] = [textOf('support'), textOf('returnUrl')]
    const offersRetry = form.get('offersRetry') === 'on'
    const found: Problems = {
      ...(returnUrl !== null && !isReturnUrl(returnUrl) && { returnUrl: 'terms.page.returnUrlWrong' }),
      ...(offersRetry && returnUrl === null && { offersRetry: 'terms.page.retryNeedsAddress' }),
    }
    setProblems(found)
    if (Object.keys(found).length === 0) proposal.propose('customer_page.set', { logo, support, returnUrl, offersRetry })
  }
  return (
    <ProposalDialog title={t('terms.page.change')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <LogoField logo={logo} onChange={setLogo} />
      <TextField
        id="page-support"
        name="support"
        label={t('change.fact.support')}
        defaultValue={page.support ?? ''}
        hint={t('terms.page.supportHint')}
        maxLength={SUPPORT_LENGTH_MAX}
      />
      <TextField
        id="page-return"
        name="returnUrl"
        label={t('change.fact.returnUrl')}
        defaultValue={page.returnUrl ?? ''}
        hint={t('terms.page.returnUrlHint')}
        error={problems.returnUrl && t(problems.returnUrl)}
        inputMode="url"
        maxLength={500}
      />
      <div>
        <Checkbox name="offersRetry" defaultChecked={page.offersRetry} label={t('terms.page.offersRetry')} />
        <p className="text-second text-quiet">
          {problems.offersRetry && <span className="block text-bad">{t(problems.offersRetry)}</span>}
          {t('terms.page.offersRetryHint')}
        </p>
      </div>
    </ProposalDialog>
  )
}

type LogoProps = { logo: string | null; onChange: (logo: string | null) => void }

/** A picture of at most four kilobytes, checked before it is sent. */
function LogoField({ logo, onChange }: LogoProps) {
  const t = useT()
  const id = useId()
  const [problem, setProblem] = useState<MessageKey | null>(null)
  async function read(file: File | undefined): Promise<void> {
    setProblem(null)
    if (!file) return
    if (file.size > LOGO_BYTES_MAX) return setProblem('terms.page.logoTooLarge')
    const bytes = new Uint8Array(await file.arrayBuffer())
    const type = typeOf(bytes)
    const address = type && logoAddress({ type, bytes })
    if (address === undefined || readLogo(address) === undefined) return setProblem('terms.page.logoWrong')
    onChange(address)
  }
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {t('change.fact.logo')}
      </label>
      {logo !== null && (
        <p className="flex flex-wrap items-center gap-3">
          <MerchantLogo logo={logo} label={t('change.fact.logo')} />
          <button type="button" className="text-accent underline" onClick={() => onChange(null)}>
            {t('terms.page.logoRemove')}
          </button>
        </p>
      )}
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-invalid={problem ? true : undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => void read(event.target.files?.[0])}
        className="w-full rounded-sm border border-line-2 bg-surface p-1.5 aria-invalid:border-bad"
      />
      <p id={`${id}-hint`} className="text-second text-quiet">
        {problem && <span className="block text-bad">{t(problem)}</span>}
        {t('terms.page.logoHint')}
      </p>
    </div>
  )
}
