import type { ReactNode } from 'react'
import { OfferedProofsProvider } from '#components/form/second-factor/offered-proofs.tsx'
import { Frame, GuessedCodes } from '#components/frame/frame.tsx'
import { QueryProvider } from '#components/frame/page-data.tsx'
import { MessagesProvider } from '#components/ui/translations.tsx'
import { pickMessages } from '#lib/i18n/translate.ts'
import { getViewer } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readTheme } from '#server/back-office/preferences.ts'
import { MESSAGES } from '#server/messages.ts'
import { countWaiting } from '#server/reports/waiting/read-waiting.ts'
import { dismissCodeWarning, setLanguage, setTheme, signOut, signOutEverywhere, startProof } from '../../actions/session.ts'
import { dismissNotice, undoDecision } from './approvals/actions.ts'

/** The messages for client components of the frame, tables and domain marks. A page adds its own with PageMessages. */
const FRAME_WORDS = [
  'ui.',
  'time.',
  'status.',
  'type.',
  'country.',
  'frame.',
  'keys.',
  'palette.',
  'table.',
  'state.',
  'action.',
  'form.',
  'payment.field.',
  // Of a validation that could be undone: why it was refused in the end.
  'undo.',
  'approvals.refused.',
  'approvals.ended.',
  'approvals.quoted',
  'approvals.byProgram',
]

/** One object for all renders. */
const INTENDED = { undo: undoDecision, dismiss: dismissNotice }

type Props = { children: ReactNode; params: Promise<{ application: string }> }

export default async function BackOfficeLayout({ children, params }: Props) {
  const { application } = await params
  const viewer = await getViewer(application)
  const runtime = backOfficeRuntime()
  const [t, theme, waiting] = await Promise.all([
    getT(),
    readTheme(),
    countWaiting(runtime.pool, {
      applicationId: viewer.application.applicationId,
      id: viewer.personId,
      roles: viewer.roles,
      runsInstallation: viewer.application.runsInstallation,
    }),
  ])
  return (
    <MessagesProvider
      locale={viewer.locale}
      timeZone={viewer.timeZone}
      businessZone={viewer.application.timeZone}
      messages={pickMessages(MESSAGES[viewer.locale], FRAME_WORDS)}
      serverNowMs={runtime.clock.now().getTime()}
      readerId={viewer.personId}
    >
      <OfferedProofsProvider {...viewer.proofs} startProof={startProof}>
        <QueryProvider>
          <Frame
            t={t}
            viewer={viewer}
            theme={theme}
            isSandbox={runtime.config.isSandbox}
            intended={INTENDED}
            actions={{ setTheme, setLanguage, signOut, signOutEverywhere }}
            waiting={waiting}
            accountNotice={
              viewer.codesGuessedAt && (
                <GuessedCodes t={t} application={application} at={viewer.codesGuessedAt} dismiss={dismissCodeWarning} />
              )
            }
          >
            {children}
          </Frame>
        </QueryProvider>
      </OfferedProofsProvider>
    </MessagesProvider>
  )
}
