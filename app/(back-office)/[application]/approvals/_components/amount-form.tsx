'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/words.tsx'
import type { QueryValues } from '#lib/paths.ts'
import { closePopover } from './close-popover.ts'

type Props = { min: string | null; max: string | null; hrefFor: (values: QueryValues) => string }

/** From and up to an amount, typed with spaces and with either mark for decimals. Fetched when the filter is opened. */
export default function AmountForm({ min, max, hrefFor }: Props) {
  const t = useT()
  const router = useRouter()
  return (
    <form
      className="grid w-56 gap-3 p-2"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const value = (name: string) =>
          String(form.get(name) ?? '')
            .replace(/[\s\u202f]/g, '')
            .replace(',', '.')
        closePopover(event.currentTarget)
        router.push(hrefFor({ min: value('min'), max: value('max') }), { scroll: false })
      }}
    >
      <TextField
        id="amount-min"
        name="min"
        label={t('approvals.filter.min')}
        inputMode="decimal"
        defaultValue={min ?? ''}
        pattern="[\d\s]*([.,]\d{1,2})?"
      />
      <TextField
        id="amount-max"
        name="max"
        label={t('approvals.filter.max')}
        inputMode="decimal"
        defaultValue={max ?? ''}
        pattern="[\d\s]*([.,]\d{1,2})?"
      />
      <Button type="submit" variant="primary">
        {t('ui.apply')}
      </Button>
    </form>
  )
}
