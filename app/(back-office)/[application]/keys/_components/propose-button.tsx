'use client'

import { useState } from 'react'
import { Button, type ButtonSize } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'

const DIALOG = definePart(() => import('./propose-dialog.tsx'))

/** Opens the form of a new key, API user or address. `network` fills in the address. */
export function ProposeButton(props: {
  application: string
  form: 'key' | 'user' | 'address'
  label: string
  network?: string
  size?: ButtonSize
}) {
  const { application, form, label, network = '', size = 'medium' } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size={size} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, form, network, onClose: () => setIsOpen(false) }} />}
    </>
  )
}
