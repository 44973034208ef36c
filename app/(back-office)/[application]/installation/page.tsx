import { queries, seed } from '#lib/pages/queries.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readInstallation } from '#server/reports/installation/read-installation.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { InstallationBoard } from './_components/installation-board.tsx'

export const generateMetadata = titled('frame.installation')

/** The running processes and the waiting work, for the people who operate the service. It exists only in the application that runs the installation. */
export default async function InstallationPage({ params }: PageProps) {
  const { application } = await params
  await requireInstaller(application, 'installation:read')
  const installation = await readInstallation(backOfficeRuntime().pool)
  return (
    <PageContent words={['installation.']} data={[seed(queries.installation(application), installation)]}>
      <InstallationBoard application={application} />
    </PageContent>
  )
}
