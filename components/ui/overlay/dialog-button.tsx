import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'

type Props = Omit<ComponentProps<typeof Button>, 'onClick'> & { dialog: (onClose: () => void) => ReactNode }

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)} />
      {isOpen && dialog(() => setIsOpen(false))}
    </>
  )
}
