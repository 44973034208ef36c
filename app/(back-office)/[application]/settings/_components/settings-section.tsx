import type { ReactNode } from 'react'

/** One section of the settings: the title on the left, the form on the right; one above the other on a phone. */
export function SettingsSection({ id, title, lead, children }: { id: string; title: string; lead?: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid gap-x-10 gap-y-3 border-t border-line py-6 lg:grid-cols-[260px_minmax(0,1fr)]">
      <div>
        <h2 id={id}>{title}</h2>
        {lead && <p className="mt-0.5 text-second text-quiet">{lead}</p>}
      </div>
      <div className="min-w-0 max-w-lg">{children}</div>
    </section>
  )
}
