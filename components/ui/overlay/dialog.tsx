import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from '../display/icon.tsx'
import { useT } from '../translations.tsx'

type Props = {
  title: string
  /** `centre` for a question, `side` for the details of a row; on a phone both are a sheet from below. */
  placement?: 'centre' | 'side'
  /** Called once when it was closed: by Escape, the button or a click outside. */
  onClose: () => void
  isTitleHidden?: boolean
  /** Called when a person wants to close it; false keeps it open. */
  mayClose?: () => boolean
  children: ReactNode
}

const PLACEMENTS = {
  centre: 'sm:m-auto sm:w-[min(520px,calc(100vw-32px))] sm:rounded-lg',
  side: 'sm:my-0 sm:mr-0 sm:ml-auto sm:h-dvh sm:max-h-dvh sm:w-[min(440px,100vw)] sm:rounded-none sm:border-y-0 sm:border-r-0',
}

/** The field that gets the focus, wherever it is in the dialog: the first one that has a problem, or the first one. */
const WRONG_FIELD = 'form [aria-invalid="true"]'
const FIRST_FIELD = 'form :is(input:not([type="hidden"], [hidden], [readonly]), select, textarea)'

/**
 * The platform's modal dialog. Mount it to open it; it traps and restores focus. The focus starts in the first field, or in the first one with a problem. Meant to be
 * imported when a person presses the button that opens it.
 */
export function Dialog({ title, placement = 'centre', onClose, isTitleHidden = false, mayClose = () => true, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const t = useT()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    if (dialog && !dialog.open) dialog.showModal()
    const field = dialog?.querySelector<HTMLElement>(WRONG_FIELD) ?? dialog?.querySelector<HTMLElement>(FIRST_FIELD)
    field?.focus()
    return () => {
      // Unmounted while open (a decision was made): the browser restores focus only on close().
      if (dialog?.open) dialog.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // It inherits from where it is mounted, such as a cell of figures.
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      onCancel={(event) => {
        if (event.target === event.currentTarget && !mayClose()) event.preventDefault()
      }}
      onKeyDown={(event) => {
        // Chrome asks `cancel` only once: a second Escape would close the dialog whatever its answer was.
        const isForDialog = event.key === 'Escape' && !event.currentTarget.querySelector(':popover-open')
        if (isForDialog && !mayClose()) event.preventDefault()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget && mayClose()) event.currentTarget.close()
      }}
      className={`fixed mx-0 mt-auto mb-0 max-h-[92dvh] w-full max-w-none overflow-y-auto rounded-t-lg border border-line bg-surface p-0 text-left text-work whitespace-normal text-ink shadow-float ${PLACEMENTS[placement]}`}
    >
      <div className="p-5">
        <div className={isTitleHidden ? 'absolute top-3 right-3' : 'mb-4 flex items-start justify-between gap-4'}>
          <h2 id={titleId} className={isTitleHidden ? 'sr-only' : 'text-[16px] leading-6'}>
            {title}
          </h2>
          <button
            type="button"
            aria-label={t('ui.close')}
            onClick={() => mayClose() && element.current?.close()}
            className="-m-1 flex size-8 items-center justify-center rounded-sm text-ink-2 hover:bg-sunken"
          >
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** The row of buttons at the end of a dialog; on a phone it remains visible at the bottom. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 -mx-5 -mb-5 mt-5 flex flex-row-reverse flex-wrap justify-start gap-2 border-t border-line bg-surface px-5 py-3">
      {children}
    </div>
  )
}
