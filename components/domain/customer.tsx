import { PhoneText } from './phone-text.tsx'

/** Who pays or is paid: the name, and the phone that a person checks next below it. */
export function Customer({ name, phoneNumber }: { name: string; phoneNumber: string }) {
  return (
    <span className="block min-w-0">
      <span className="block truncate font-strong">{name}</span>
      <PhoneText phoneNumber={phoneNumber} className="block text-second text-quiet" />
    </span>
  )
}
