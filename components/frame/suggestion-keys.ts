import type { KeyboardEvent } from 'react'

/** What the list of suggestions does with the keys that its field receives. */
export type SuggestionKeys = (event: KeyboardEvent) => void
