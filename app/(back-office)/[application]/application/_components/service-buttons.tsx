import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import { OPERATORS } from '#lib/operators.ts'
import type { ServiceTerms } from '#lib/terms.ts'

const LIMITS_DIALOG = definePart(() => import('./limits-dialog.tsx'))
const FEES_DIALOG = definePart(() => import('./fees-dialog.tsx'))

type Props = { application: string; service: ServiceTerms; amountMinor: bigint | null }

/** Opens the form of the limits or of the fees of one service. */
export function ServiceButtons({ application, service, amountMinor }: Props) {
  const t = useT()
  const [open, setOpen] = useState<'limits' | 'fees' | null>(null)
  const { brand, country } = OPERATORS[service.operator]
  const name = `${brand} ${t(`country.${country.name}`)} · ${t(`type.${service.type}`)}`
  const props = { application, service, name, onClose: () => setOpen(null) }
  return (
    <div className="flex justify-end gap-2 max-sm:flex-col">
      <Button size="small" aria-label={t('terms.changeLimitsOf', { service: name })} onClick={() => setOpen('limits')}>
        {t('terms.changeLimits')}
      </Button>
      <Button size="small" aria-label={t('terms.changeFeesOf', { service: name })} onClick={() => setOpen('fees')}>
        {t('terms.changeFees')}
      </Button>
      {open === 'limits' && <LazyPart part={LIMITS_DIALOG} props={props} />}
      {open === 'fees' && <LazyPart part={FEES_DIALOG} props={{ ...props, amountMinor }} />}
    </div>
  )
}
