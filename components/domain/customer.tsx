import { PhoneText } from './phone-text.tsx'

/** The customer or beneficiary: the whole name, with the phone number below it. */
export function Customer({ name, phoneNumber }: { name: string; phoneNumber: string }) {
  return (
    <span className="block min-w-0">
      <span dir="auto" className="block text-left font-strong wrap-anywhere">
        {name}
      </span>
      <PhoneText phoneNumber={phoneNumber} className="block text-second text-quiet" />
    </span>
  )
}
