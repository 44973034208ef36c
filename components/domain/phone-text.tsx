import { formatPhone } from '#lib/format.ts'

/** A phone number in its country's groups; what is copied from it has the spaces, so ids and exports use the raw digits. */
export function PhoneText({ phoneNumber, className = '' }: { phoneNumber: string; className?: string }) {
  return <span className={`tabular whitespace-nowrap ${className}`}>{formatPhone(phoneNumber)}</span>
}
