import { formatPhone } from '#lib/format.ts'

/** A phone number in its country's groups. Copying includes the spaces, so exports use the raw digits. */
export function PhoneText({ phoneNumber, className = '' }: { phoneNumber: string; className?: string }) {
  return <span className={`tabular whitespace-nowrap ${className}`}>{formatPhone(phoneNumber)}</span>
}
