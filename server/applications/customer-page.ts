import { type CustomerPageTerms, isReturnUrl, readLogo, SUPPORT_LENGTH_MAX } from '#lib/partner/customer-page.ts'
import { err, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { readCustomerPage, upsertCustomerPage } from './customer-page-store.ts'

type SetCustomerPage = { applicationId: string; page: CustomerPageTerms; actor: CommandActor }
type SetFailure = 'not_permitted' | 'unknown_application' | 'invalid_logo' | 'invalid_support' | 'invalid_return_url'

/**
 * Sets what the page of customers shows of an application. The picture is checked by its content; the audit record identifies it by its
 * SHA-256.
 */
export async function setCustomerPage(database: Database, command: SetCustomerPage): Promise<Result<void, SetFailure>> {
  const { applicationId, page } = command
  return runCommand<void, SetFailure>(database, command, 'access:change', async (trx) => {
    const { support, returnUrl } = page
    const logo = page.logo === null ? null : readLogo(page.logo)
    if (logo === undefined) return err('invalid_logo')
    if (support !== null && (support.trim() === '' || support.length > SUPPORT_LENGTH_MAX || !isCleanText(support)))
      return err('invalid_support')
    if (returnUrl !== null && !isReturnUrl(returnUrl)) return err('invalid_return_url')
    if (page.offersRetry && returnUrl === null) return err('invalid_return_url')
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const before = await readCustomerPage(trx, applicationId)
    await upsertCustomerPage(trx, applicationId, { ...page, logo })
    return done({ action: 'application.customer_page_changed', subject: applicationId, details: { before, after: page } })
  })
}
