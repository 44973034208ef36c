import { Kbd } from '#components/ui/display/badge.tsx'

type Props = { hints: readonly { words: string; keys: readonly string[] }[] }

/** The keys of a list, for those who have a keyboard. */
export function KeyHints({ hints }: Props) {
  return (
    <p className="hidden justify-end gap-3 text-second whitespace-nowrap text-quiet xl:flex">
      {hints.map((hint) => (
        <span key={hint.words} className="flex items-center gap-1">
          {hint.words}
          {hint.keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      ))}
    </p>
  )
}
