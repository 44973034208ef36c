import { type FormEvent, useEffect, useState, useTransition } from 'react'
import type { InvitationRefusal } from '#lib/people/sign-in.ts'
import type { Result } from '#lib/result.ts'

type LinkState<Content> =
  | { kind: 'opening' }
  | { kind: 'refused'; refusal: InvitationRefusal | 'incomplete' | 'offline' }
  | { kind: 'open'; token: string; content: Content }

/**
 * Takes the token of a link out of the address before anything else, also out of the entry of the history, and asks what it is for. From then on it
 * is only in the memory of this page. `path`: the address without the token.
 */
export function useLink<Content>(
  path: string,
  open: (input: { token: string }) => Promise<Result<Content, InvitationRefusal>>,
): LinkState<Content> {
  const [state, setState] = useState<LinkState<Content>>({ kind: 'opening' })
  useEffect(() => {
    const forgetToken = () => window.history.replaceState(null, '', path)
    const token = window.location.hash.slice(1)
    forgetToken()
    if (token === '') return setState((current) => (current.kind === 'opening' ? { kind: 'refused', refusal: 'incomplete' } : current))
    void open({ token })
      .then((read) => setState(read.ok ? { kind: 'open', token, content: read.value } : { kind: 'refused', refusal: read.error }))
      // biome-ignore lint/plugin/no-silent-error: No connection, which the page says.
      .catch(() => setState({ kind: 'refused', refusal: 'offline' }))
      // Next wrote the address that it began with while it started.
      .finally(forgetToken)
  }, [path, open])
  return state
}

/** Sends the form of a link. `act` redirects where it succeeds, and otherwise says why not. */
export function useLinkForm(act: (fields: FormData) => Promise<{ refusal: InvitationRefusal }>) {
  const [refusal, setRefusal] = useState<InvitationRefusal | 'offline' | null>(null)
  const [isPending, startTransition] = useTransition()
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    startTransition(async () => {
      try {
        setRefusal((await act(fields)).refusal)
      } catch (error) {
        // A redirect is not a failure.
        if (error instanceof Error && 'digest' in error) throw error
        setRefusal('offline')
      }
    })
  }
  return { refusal, isPending, onSubmit }
}
