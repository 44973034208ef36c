'use client'

import { useState } from 'react'
import { Icon } from './display/icon.tsx'
import { announce } from './overlay/toast.tsx'
import { useT } from './translations.tsx'

const SHOWN_MS = 1_500

type Props = { text: string; label: string; onCopied?: () => void }

/** Copies a text. `label` names it, because the button shows only an icon. */
export function CopyButton({ text, label, onCopied }: Props) {
  const t = useT()
  const [isCopied, setIsCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    onCopied?.()
    announce(t('ui.copied'))
    setTimeout(() => setIsCopied(false), SHOWN_MS)
  }
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={`${t('ui.copy')}: ${label}`}
      className="no-print inline-flex size-6 items-center justify-center rounded-sm text-quiet hover:bg-sunken hover:text-ink"
    >
      <Icon name={isCopied ? 'check' : 'copy'} className="size-3.5" />
    </button>
  )
}
