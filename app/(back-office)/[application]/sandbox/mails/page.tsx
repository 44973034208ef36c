import { notFound } from 'next/navigation'
import { TimeText } from '#components/domain/time-text.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listSandboxMails } from '#server/notices/notice-store.ts'
import { CodeBlock } from '../../_components/code-block.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'

export const generateMetadata = titled('sandbox.mails')

const SHOWN_MAX = 50

/** The e-mails that a sandbox keeps instead of sending them, to members of the application. */
export default async function SandboxMailsPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'sandbox:use')
  const { config, pool } = backOfficeRuntime()
  if (!config.isSandbox) return notFound()
  const [t, mails] = await Promise.all([getT(), listSandboxMails(pool, actor.applicationId, SHOWN_MAX)])
  return (
    <PageContent words={[]}>
      <PageHeader title={t('sandbox.mails')} lead={t('sandbox.mailsText')} />
      {mails.length === 0 && <p className="mt-6 text-quiet">{t('sandbox.noMails')}</p>}
      <ul className="mt-6 grid max-w-3xl grid-cols-1 gap-4">
        {mails.map(({ messageId, recipient, subject, body, attachments, arrivedAt }) => (
          <li key={messageId} className="rounded-sm border border-line p-4">
            <h2>{subject}</h2>
            <p className="text-second text-quiet wrap-anywhere">
              {recipient} · <TimeText at={arrivedAt.toISOString()} />
            </p>
            <p className="mt-3 whitespace-pre-line wrap-anywhere">{body}</p>
            {attachments.map(({ fileName, text }) => (
              <details key={fileName} className="mt-3">
                <summary className="cursor-pointer wrap-anywhere">{fileName}</summary>
                <div className="mt-2">
                  <CodeBlock label={fileName} text={text} />
                </div>
              </details>
            ))}
          </li>
        ))}
      </ul>
    </PageContent>
  )
}
