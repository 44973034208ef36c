import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'

const CONTROL = `w-full rounded-sm border border-line-2 bg-surface px-2.5 text-work text-ink touch-target
  aria-invalid:border-bad disabled:bg-sunken disabled:text-quiet`

type FieldShellProps = {
  id: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  note?: string
  children: ReactNode
}

/** Label, control, error and hint. Controls refer to `…-error` and `…-hint` with aria-describedby. */
function FieldShell({ id, label, hint, error, note, children }: FieldShellProps) {
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium text-ink">
        {label}
        {note && <span className="ml-1.5 text-second font-regular text-quiet">{note}</span>}
      </label>
      {children}
      {error && (
        <p id={`${id}-error`} className="text-second text-bad">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-second text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

type Extras = { label: ReactNode; hint?: ReactNode; error?: string | undefined; note?: string }

function described(id: string, error: unknown, hint: unknown): string | undefined {
  const ids = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean)
  return ids.length > 0 ? ids.join(' ') : undefined
}

type TextFieldProps = InputHTMLAttributes<HTMLInputElement> & Extras & { id: string; ref?: React.Ref<HTMLInputElement> }

/** One line of text with its label. Takes react-hook-form's `register(...)` by spreading it. */
export function TextField({ id, label, hint, error, note, className = '', ...rest }: TextFieldProps) {
  return (
    <FieldShell id={id} label={label} hint={hint} error={error} {...(note ? { note } : {})}>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described(id, error, hint)}
        {...rest}
        className={`h-8 ${CONTROL} ${className}`}
      />
    </FieldShell>
  )
}

/** A file of this device. */
export function FileField({ id, label, hint, error, note, ...rest }: Omit<TextFieldProps, 'type' | 'className'>) {
  return (
    <FieldShell id={id} label={label} hint={hint} error={error} {...(note ? { note } : {})}>
      <input
        id={id}
        type="file"
        aria-invalid={error ? true : undefined}
        aria-describedby={described(id, error, hint)}
        {...rest}
        className="w-full rounded-sm border border-line-2 bg-surface p-1.5 aria-invalid:border-bad"
      />
    </FieldShell>
  )
}

type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & Extras & { id: string }

/** Several lines of text with their label. */
export function TextArea({ id, label, hint, error, note, className = '', ...rest }: TextAreaProps) {
  return (
    <FieldShell id={id} label={label} hint={hint} error={error} {...(note ? { note } : {})}>
      <textarea
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described(id, error, hint)}
        {...rest}
        className={`py-1.5 ${CONTROL} ${className}`}
      />
    </FieldShell>
  )
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> &
  Extras & { id: string; ref?: React.Ref<HTMLSelectElement>; children: ReactNode }

/** A native select with its label; the options are its children. */
export function Select({ id, label, hint, error, note, className = '', children, ...rest }: SelectProps) {
  return (
    <FieldShell id={id} label={label} hint={hint} error={error} {...(note ? { note } : {})}>
      <select
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described(id, error, hint)}
        {...rest}
        className={`h-8 ${CONTROL} ${className}`}
      >
        {children}
      </select>
    </FieldShell>
  )
}

type CheckboxProps = InputHTMLAttributes<HTMLInputElement> & {
  label: ReactNode
  isLabelHidden?: boolean
  ref?: React.Ref<HTMLInputElement>
}

/** A checkbox with its label; `isLabelHidden` shows the label to screen readers only. */
export function Checkbox({ label, isLabelHidden = false, className = '', ...rest }: CheckboxProps) {
  return (
    <label className={`inline-flex items-center gap-2 ${className}`}>
      <input type="checkbox" {...rest} className="size-[15px] shrink-0 cursor-pointer rounded-[4px] accent-accent" />
      <span className={isLabelHidden ? 'sr-only' : ''}>{label}</span>
    </label>
  )
}
