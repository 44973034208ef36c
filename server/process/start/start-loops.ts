import { setTimeout as delay } from 'node:timers/promises'
import { forgetAccountChecks } from '#server/account-checks/check-account.ts'
import { expireApprovals } from '#server/approvals/expire-approvals.ts'
import { startIntentionLoop } from '#server/approvals/intended/carry-out.ts'
import { forgetIntended } from '#server/approvals/intended/undo.ts'
import { forgetAttachments } from '#server/attachments/attach-file.ts'
import { checkNames } from '#server/batches/rows/check-names.ts'
import { storeBatchEnds } from '#server/batches/store-batch-ends.ts'
import { runPaymentSchedules } from '#server/beneficiaries/run-schedules.ts'
import { forgetExpiredSecrets } from '#server/changes/collect-secret.ts'
import { proposeScheduledWithdrawals } from '#server/changes/scheduled-withdrawals.ts'
import { pruneSignInThrottles } from '#server/credentials/sign-in-throttle.ts'
import { TASK_STATEMENT_LIMIT_MS, withStatementLimit } from '#server/database/pool.ts'
import { repairLedgerDays, sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { pushKeys } from '#server/notices/browsers/browsers.ts'
import { pushTransport } from '#server/notices/browsers/push-transport.ts'
import { sandboxTransport, smtpTransport } from '#server/notices/mail/transport.ts'
import { sendEvents } from '#server/notices/send-events.ts'
import { forgetLinkMails, sendLinkMails } from '#server/notices/send-link-mails.ts'
import { forgetNotices, sendNotices } from '#server/notices/send-notices.ts'
import { forgetAvailability } from '#server/operators/availability/disturbed.ts'
import { forgetPolls, pollBalances, pollWaiting } from '#server/operators/balances/poll-balances.ts'
import { endStoppedRows, releaseTimedBatches } from '#server/operators/batch-run/control-batch.ts'
import { forgetCodeNumbers } from '#server/operators/customer-step/enter-code.ts'
import { listOperatorReferences } from '#server/operators/references/list-operator-references.ts'
import { forgetPreviousSettings } from '#server/operators/settings/return-settings.ts'
import { createDispatcher } from '#server/operators/work/dispatch/dispatcher.ts'
import { repairOperatorSchedule } from '#server/operators/work/dispatch/repair-operator-schedule.ts'
import { endUnsentDeposits } from '#server/operators/work/end-unsent-deposits.ts'
import { queryContradictions } from '#server/operators/work/second-looks.ts'
import { pruneCalls } from '#server/partner-auth/recent-calls.ts'
import { pruneRefusals } from '#server/partner-auth/refusals.ts'
import { pruneRefreshTokens } from '#server/partner-auth/tokens.ts'
import { forgetMonthlyTotals, prepareMonthlyTotals } from '#server/people/monthly-totals.ts'
import { forgetChallenges } from '#server/people/passkeys/sign-in-with-passkey.ts'
import { pruneEndedSessions } from '#server/people/sign-in/sessions.ts'
import { examineDays, examineRecentDays } from '#server/reconciliation/exceptions/examine-days.ts'
import { matchRecent } from '#server/reconciliation/matching/match-wallet.ts'
import { queryPaidOpen } from '#server/reconciliation/matching/query-paid-open.ts'
import { carryOutReversals } from '#server/reconciliation/reversals/carry-out-reversals.ts'
import { fetchStatements } from '#server/reconciliation/statements/fetch-statements.ts'
import { createStatementWorker } from '#server/reconciliation/statements/statement-worker.ts'
import { forgetUploads } from '#server/reconciliation/statements/upload-statement.ts'
import { pairTransit } from '#server/reconciliation/treasury/mark-transit.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { countWantedZones } from '#server/reports/business-days/set-time-zone.ts'
import { listCustomers } from '#server/reports/customers/customers.ts'
import { addOperatorOutcomes, forgetOperatorOutcomes } from '#server/reports/operator-outcomes/read-operator-outcomes.ts'
import { addFeeDays, addTransactionDays, READ_MAX, sealTotals } from '#server/reports/totals/seal-totals.ts'
import { removeOldRows } from '#server/retention/remove-old-rows.ts'
import type { Runtime } from '#server/runtime.ts'
import { createDeliveryLoop } from '#server/webhooks/delivery-loop.ts'
import { continueRecoveries } from '#server/webhooks/recover-webhooks.ts'
import { measureInstallation } from '../measure-installation.ts'
import { runScheduledTasks, type ScheduledTask, scheduledTask } from '../scheduled-tasks.ts'

/** The loops of the worker role: dispatch and polling, webhooks, scheduled tasks. */
type Loops = {
  /** Finishes calls and deliveries that are in progress, and claims no more. */
  drain(): Promise<void>
}

/** Starts the loops of the worker role. Several processes may run them on one database. */
export function startLoops(runtime: Runtime): Loops {
  const { config, pool, logger, clock, settler, connectors, directory, metrics } = runtime
  const dispatcher = createDispatcher({
    isSandbox: config.isSandbox,
    pool,
    settler,
    connectors,
    logger,
    onContradiction: () => metrics.countOutcome('operator', 'contradicting'),
    onUnrecordable: () => metrics.countOutcome('operator', 'unrecordable'),
    onCall(work, kind, outcome, durationMs) {
      metrics.countOutcome('operator', `${kind} ${outcome}`)
      runtime.tracing?.addCall(work, kind, outcome, durationMs)
    },
  })
  const deliveries = createDeliveryLoop({
    pool,
    clock,
    logger,
    secretsFor: (applicationId) => directory.find(applicationId)?.webhookSecrets ?? [],
    copiesStatusFor: (applicationId) => directory.find(applicationId)?.copiesWebhookStatus ?? false,
    allowsPrivateTargets: config.isSandbox,
    networksFor: (applicationId) => directory.find(applicationId)?.webhookNetworks ?? [],
    onRecorded: (outcome, count) => metrics.countOutcome('webhook', outcome, count),
    untilAnswered: runtime.unansweredStarts.untilAnswered,
    trace: runtime.tracing?.traceWebhook,
  })
  runtime.submitThrough(dispatcher)
  runtime.deliverThrough(deliveries)
  dispatcher.start()
  runtime.batchSubmitter.start()
  deliveries.start()
  const statementWorker = createStatementWorker({ pool, clock })
  statementWorker.start()
  const intentions = startIntentionLoop(runtime)
  let isEnding = false
  withStatementLimit(TASK_STATEMENT_LIMIT_MS, () => sumHistory(runtime, () => isEnding))
  measureInstallation(runtime)
  // Until an operator has reported its balance, deposits are sent without knowing what covers them.
  void pollBalances({ pool, connectors, logger })
  const tasks = taskTable(runtime, () => isEnding)
  const taskRunner = runScheduledTasks({ pool, tasks })
  return {
    async drain() {
      isEnding = true
      await taskRunner.stop()
      await intentions.drain()
      await statementWorker.drain()
      await runtime.batchSubmitter.drain()
      await dispatcher.drain()
      await settler.drain()
      await Promise.race([deliveries.drain(), delay(7_000, undefined, { ref: false })])
    },
  }
}

/** A first start finds history that no minute has summed yet. */
function sumHistory(runtime: Runtime, isEnding: () => boolean): void {
  const { pool } = runtime
  void sealLedgerDays(pool).catch((error: unknown) =>
    reportUnexpected('ledger: first sums', error, {
      message: 'The ledger could not be summed by day; the task of the next minute repeats it',
    }),
  )
  void sealFinishedDays(runtime).catch((error: unknown) =>
    reportUnexpected('totals: first sums', error, { message: 'Finished days could not be summed; the task of the next hour repeats it' }),
  )
  void listCustomers(pool, isEnding).catch((error: unknown) =>
    reportUnexpected('customers: first list', error, {
      message: 'Customers could not be listed for the search; the task of the next minute repeats it',
    }),
  )
  void addFeeDays(pool, isEnding).catch((error: unknown) =>
    reportUnexpected('totals: first fees', error, { message: 'Fees could not be summed by day; the task of the next minute repeats it' }),
  )
}

async function sealFinishedDays({ pool, logger }: Pick<Runtime, 'pool' | 'logger'>): Promise<void> {
  const unsealed = await sealTotals(pool)
  if (unsealed.length > 0) logger.warn({ applications: unsealed }, 'Days of some applications could not be summed; PostgreSQL logged why')
}

/** The tasks that tell people and programs of what happened. */
function noticeTasks({ config, pool, reportPool, clock, directory, testSenders }: Runtime, isEnding: () => boolean): ScheduledTask[] {
  const smtp = config.mail && smtpTransport({ url: config.mail.smtpUrl, from: config.mail.from })
  const transport = config.isSandbox ? sandboxTransport(pool) : smtp
  const push = pushTransport({ senders: testSenders, keys: () => pushKeys(pool), publicUrl: config.publicUrl })
  const sending = { pool, reportPool, transport, push, publicUrl: config.publicUrl, now: () => clock.now(), isEnding }
  const receiverOf = (applicationId: string) => {
    const snapshot = directory.find(applicationId)
    return { secrets: snapshot?.webhookSecrets ?? [], networks: snapshot?.webhookNetworks ?? [] }
  }
  return [
    scheduledTask('send_links', '* * * * *', () => sendLinkMails(sending)),
    scheduledTask('prepare_monthly_totals', '* * * * *', () => prepareMonthlyTotals(pool, clock.now())),
    scheduledTask('send_notices', '* * * * *', () => sendNotices(sending)),
    scheduledTask('send_events', '* * * * *', () => sendEvents({ ...sending, senders: testSenders, receiverOf })),
    scheduledTask('forget_notices', '47 3 * * *', async () => {
      await forgetNotices(pool, clock.now())
      await forgetLinkMails(pool, clock.now())
      await forgetMonthlyTotals(pool, clock.now())
    }),
  ]
}

/** Every scheduled task of the service, by its name. */
function taskTable(runtime: Runtime, isEnding: () => boolean): ScheduledTask[] {
  const { config, pool, settler, clock, logger, connectors, metrics, wake, accountChecks } = runtime
  return [
    ...noticeTasks(runtime, isEnding),
    scheduledTask('end_stopped_rows', '* * * * *', async () => void (await endStoppedRows({ pool, wake }))),
    scheduledTask('release_timed_batches', '* * * * *', async () => void (await releaseTimedBatches({ pool, wake }))),
    scheduledTask('check_batch_names', '* * * * *', () => checkNames({ pool, accountChecks }, isEnding)),
    scheduledTask('prepare_scheduled_lists', '* * * * *', () => runPaymentSchedules(runtime, isEnding)),
    scheduledTask('store_batch_ends', '* * * * *', async () => void (await storeBatchEnds(pool))),
    scheduledTask('recover_webhooks', '* * * * *', () => continueRecoveries({ pool, wakeWebhooks: wake.webhooks }, isEnding)),
    scheduledTask('expire_approvals', '* * * * *', async () => void (await expireApprovals({ pool, settler, logger }))),
    scheduledTask('query_ended_payments', '* * * * *', async () => {
      const onOutcome = (outcome: string) => metrics.countOutcome('operator', outcome)
      await queryContradictions({ pool, connectors, logger, onOutcome }, isEnding)
    }),
    scheduledTask('repair_operator_schedule', '*/5 * * * *', async () => {
      const repaired = await repairOperatorSchedule(pool, connectors, config)
      if (repaired > 0) logger.warn({ repaired }, 'Operator work was scheduled too far ahead: the clock of the database has changed')
    }),
    scheduledTask('list_operator_references', '* * * * *', () => listOperatorReferences(pool, isEnding)),
    scheduledTask('add_operator_outcomes', '* * * * *', () => addOperatorOutcomes(pool, clock.now(), isEnding)),
    scheduledTask('poll_operator_balances', '*/5 * * * *', () => pollBalances({ pool, connectors, logger })),
    scheduledTask('end_unsent_deposits', '* * * * *', async () => void (await endUnsentDeposits({ pool, wake }))),
    scheduledTask('poll_short_operators', '* * * * *', () => pollWaiting({ pool, connectors, logger })),
    scheduledTask('match_statement_lines', '*/5 * * * *', () => matchRecent(pool, clock.now(), isEnding)),
    scheduledTask('query_paid_open', '* * * * *', async () => void (await queryPaidOpen(pool))),
    scheduledTask('carry_out_reversals', '* * * * *', () => carryOutReversals({ pool, connectors }, isEnding)),
    scheduledTask('examine_days', '* * * * *', () => examineDays(pool, isEnding)),
    scheduledTask('examine_recent_days', '19 4 * * *', () => examineRecentDays(pool, clock.now())),
    scheduledTask('propose_withdrawals', '* * * * *', () => proposeScheduledWithdrawals({ pool, clock }, isEnding)),
    scheduledTask('fetch_statements', '5 2,4,6 * * *', () => fetchStatements({ pool, connectors, clock }, isEnding)),
    scheduledTask('pair_transit', '*/5 * * * *', async () => void (await pairTransit(pool))),
    scheduledTask('list_customers', '* * * * *', () => listCustomers(pool, isEnding)),
    scheduledTask('count_time_zones', '* * * * *', () => countWantedZones(pool, isEnding)),
    scheduledTask('add_transaction_days', '* * * * *', () => addTransactionDays(pool, isEnding, READ_MAX)),
    scheduledTask('add_fee_days', '* * * * *', () => addFeeDays(pool, isEnding, READ_MAX)),
    scheduledTask('seal_ledger_days', '* * * * *', () => sealLedgerDays(pool)),
    scheduledTask('seal_totals', '23 * * * *', () => sealFinishedDays({ pool, logger })),
    scheduledTask('repair_ledger_days', '*/10 * * * *', async () => {
      const repaired = await repairLedgerDays(pool)
      if (repaired.length > 0) logger.warn({ applications: repaired }, 'Sums by day differed from the balances and were computed again')
    }),
    scheduledTask('remove_old_rows', '41 * * * *', async () => {
      const removed = await removeOldRows(pool, { months: config.retentionMonths, now: clock.now(), isEnding })
      if (Object.keys(removed).length > 0) logger.info({ removed }, 'Rows that were older than this installation keeps them were removed')
    }),
    scheduledTask('forget_expired_secrets', '*/10 * * * *', () => forgetExpiredSecrets(pool)),
    scheduledTask('forget_attachments', '53 * * * *', () => forgetAttachments(pool, clock.now())),
    scheduledTask('forget_account_checks', '*/10 * * * *', () => forgetAccountChecks(pool)),
    scheduledTask('forget_previous_settings', '*/10 * * * *', () => forgetPreviousSettings(pool)),
    scheduledTask('forget_refresh_tokens', '13 3 * * *', async () => void (await pruneRefreshTokens(pool, clock.now()))),
    scheduledTask('forget_operator_history', '37 3 * * *', async () => {
      await forgetOperatorOutcomes(pool, clock.now())
      await forgetAvailability(pool, clock.now())
      await forgetCodeNumbers(pool, clock.now())
      await forgetPolls(pool, clock.now())
      await forgetUploads(pool, clock.now())
    }),
    scheduledTask('forget_intended_decisions', '47 3 * * *', () => forgetIntended(pool)),
    scheduledTask('forget_refusals', '29 3 * * *', async () => {
      await pruneRefusals(pool, clock.now())
      await pruneCalls(pool, clock.now())
    }),
    scheduledTask('forget_ended_sessions', '17 * * * *', async () => void (await pruneEndedSessions(pool, clock.now()))),
    scheduledTask('forget_passkey_challenges', '*/10 * * * *', () => forgetChallenges(pool, clock.now())),
    scheduledTask('forget_failed_sign_ins', '7 * * * *', async () => void (await pruneSignInThrottles(pool, clock.now()))),
  ]
}
