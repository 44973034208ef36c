'use client'

import { ButtonLink } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { useT } from '#components/ui/words.tsx'

/** The codes that stand in for a person's device, shown this once. `next` is where the person goes when they are kept. Needs the words `enrol.`. */
export function RecoveryCodes({ next, codes }: { next: string; codes: readonly string[] }) {
  const t = useT()
  return (
    <section className="mt-5 grid gap-4" aria-labelledby="recovery-codes">
      <div>
        <h2 id="recovery-codes">{t('enrol.codesTitle')}</h2>
        <p className="text-ink-2">{t('enrol.codesLead')}</p>
      </div>
      <ul className="grid gap-1 rounded-md border border-line bg-surface p-4 font-medium tabular">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex items-center gap-2">
        <ButtonLink href={next} variant="primary">
          {t('enrol.codesKept')}
        </ButtonLink>
        <CopyButton text={codes.join('\n')} label={t('enrol.codesTitle')} />
      </div>
    </section>
  )
}
