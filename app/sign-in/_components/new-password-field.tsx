import { TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { InvitationRefusal } from '#lib/people/sign-in.ts'

type Refusal = InvitationRefusal | 'offline' | null

/** Whether a refusal is about the password, and shown beside its field. */
export function isOfPassword(refusal: Refusal): refusal is 'password_too_short' | 'password_too_common' {
  return refusal === 'password_too_short' || refusal === 'password_too_common'
}

/** The field of a password that a person chooses. */
export function NewPasswordField({ label, refusal }: { label: string; refusal: Refusal }) {
  const t = useT()
  return (
    <TextField
      id="password"
      name="password"
      type="password"
      label={label}
      hint={t('invitation.passwordHint')}
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={1024}
      error={isOfPassword(refusal) ? t(`invitation.refusal.${refusal}`) : undefined}
    />
  )
}
