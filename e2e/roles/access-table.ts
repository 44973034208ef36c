import type { Permission } from '#lib/people/permissions.ts'

/** Things that exist, to put into addresses. */
export type Examples = {
  application: string
  transactionId: string
  waitingId: string
  /** A batch whose rows wait. */
  waitingBatchId: string
  operator: string
  batchId: string
  linkId: string
  /** A change of beneficiaries by a file. */
  importId: string
  exportId: string
  personId: string
}

/**
 * Who may: holders of a permission of lib/people/permissions.ts in the application of the address; `member`: every member of it;
 * `self`: every signed-in person, about themselves; `guest`: callers who are not signed in, others are redirected; `public`: everybody.
 */
export type Access = Permission | 'member' | 'self' | 'guest' | 'public'

type Row = {
  access: Access
  /** The address, with what it needs to answer a caller who may. `[name]` is filled from the examples. */
  address?: string
  form?: Record<string, string>
  /** A file, sent as it is. */
  upload?: string
  /** The status for a caller who may; 200 unless stated. */
  allowed?: number
  /** The status of a refusal that differs from the rule: a form that is posted leads to a page that says why. */
  refused?: number
}

/** Every page, by its address, and every data address, with its method. An address that is missing here fails the test. */
export const ROUTES: Record<string, Row> = {
  'GET /': { access: 'public', allowed: 307 },
  'GET /sign-in': { access: 'guest' },
  'GET /sign-in/second-factor': { access: 'public', allowed: 307 },
  'GET /sign-in/enrol': { access: 'self' },
  'GET /docs': { access: 'public' },
  'GET /docs/[topic]': { access: 'public', address: '/docs/collect' },
  'GET /docs/search': { access: 'public' },
  'GET /sign-in/invitation': { access: 'public' },
  'GET /sign-in/invitations': { access: 'self' },
  'GET /sign-in/new-password': { access: 'public' },

  'GET /[application]': { access: 'overview:read' },
  'GET /[application]/[...rest]': { access: 'member', address: '/[application]/nothing/here', allowed: 404 },
  'GET /[application]/search': { access: 'member', address: '/[application]/search?q=nothing' },
  'GET /[application]/transactions': { access: 'transaction:read' },
  'GET /[application]/transactions/[transactionId]': { access: 'transaction:read' },
  'GET /[application]/transactions/exports': { access: 'export:create' },
  'GET /[application]/transactions/unconfirmed': { access: 'transaction:read' },
  'GET /[application]/new': {
    access: 'transaction:create',
    address: '/[application]/new?payment=6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
  },
  'GET /[application]/waiting': { access: 'overview:read' },
  'GET /[application]/approvals': { access: 'approval:read' },
  'GET /[application]/approvals/batches/[batchId]': {
    access: 'approval:read',
    address: '/[application]/approvals/batches/[waitingBatchId]',
  },
  'GET /[application]/beneficiaries': { access: 'beneficiary:read' },
  'GET /[application]/beneficiaries/import': { access: 'beneficiary:change' },
  'GET /[application]/beneficiaries/import/[changeId]': {
    access: 'beneficiary:read',
    address: '/[application]/beneficiaries/import/[importId]',
  },
  'GET /[application]/batches': { access: 'batch:read' },
  'GET /[application]/batches/new': { access: 'transaction:create' },
  'GET /[application]/batches/[batchId]': { access: 'batch:read' },
  'GET /[application]/links': { access: 'link:read' },
  'GET /[application]/links/new': { access: 'link:create' },
  'GET /[application]/links/[linkId]': { access: 'link:read' },
  'GET /api/back-office/[application]/links/[linkId]/code': {
    access: 'link:read',
    address: '/api/back-office/[application]/links/[linkId]/code?format=png',
  },
  'GET /[application]/totals': { access: 'total:read' },
  'GET /[application]/totals/pivot': { access: 'total:read' },
  'GET /[application]/balances': { access: 'balance:read' },
  'GET /[application]/balances/[operator]': { access: 'statement:read' },
  'GET /[application]/keys': { access: 'access:read' },
  'GET /[application]/webhooks': { access: 'webhook:read' },
  'GET /[application]/webhooks/signing': { access: 'webhook:read' },
  'GET /[application]/webhooks/[transactionId]': { access: 'webhook:read' },
  // The installation of this test is not a sandbox.
  'GET /[application]/sandbox': { access: 'sandbox:use', allowed: 404 },
  'GET /[application]/sandbox/mails': { access: 'sandbox:use', allowed: 404 },
  'GET /[application]/sandbox/calls': { access: 'sandbox:use', allowed: 404 },
  'GET /[application]/sandbox/calls/[requestId]': { access: 'sandbox:use', allowed: 404 },
  'GET /api/back-office/[application]/calls': { access: 'sandbox:use', allowed: 404 },
  'GET /[application]/people': { access: 'people:change' },
  'GET /[application]/application': { access: 'access:change' },
  'GET /[application]/funding': { access: 'funding:read' },
  'GET /[application]/operators': { access: 'operator:read' },
  'GET /[application]/operators/[operator]': { access: 'operator:read' },
  'GET /[application]/settlements': { access: 'settlement:read' },
  // Nobody has signed it.
  'GET /[application]/settlements/[wallet]/[day]': {
    access: 'settlement:read',
    address: '/[application]/settlements/OMCM/2026-11-05',
    allowed: 404,
  },
  // The application of this test does not run the installation, so that these pages do not exist for those who may open them elsewhere.
  'GET /[application]/close': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/installation': { access: 'installation:read', allowed: 404 },
  'GET /[application]/installation/changes': { access: 'installation:read', allowed: 404 },
  'GET /api/back-office/[application]/installation': { access: 'installation:read', allowed: 404 },
  'GET /[application]/close/statements': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/statements/new': { access: 'reconciliation:work', allowed: 404 },
  'GET /[application]/close/statements/[fileId]': {
    access: 'reconciliation:read',
    address: '/[application]/close/statements/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
    allowed: 404,
  },
  'GET /[application]/close/adjustments': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/fees': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/fees/[wallet]': {
    access: 'reconciliation:read',
    address: '/[application]/close/fees/OMCM',
    allowed: 404,
  },
  'GET /[application]/close/journal': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/journal/[number]': {
    access: 'reconciliation:read',
    address: '/[application]/close/journal/1',
    allowed: 404,
  },
  'GET /[application]/close/wallets': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/wallets/[wallet]': {
    access: 'reconciliation:read',
    address: '/[application]/close/wallets/OMCM',
    allowed: 404,
  },
  'GET /[application]/close/exceptions': { access: 'reconciliation:read', allowed: 404 },
  'GET /[application]/close/exceptions/[exceptionId]': {
    access: 'reconciliation:read',
    address: '/[application]/close/exceptions/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b',
    allowed: 404,
  },
  'GET /[application]/close/days/[wallet]/[day]': {
    access: 'reconciliation:read',
    address: '/[application]/close/days/OMCM/2026-11-05',
    allowed: 404,
  },
  'GET /[application]/people/[personId]': { access: 'people:change' },
  'GET /[application]/audit': { access: 'audit:read' },
  'GET /[application]/rules': { access: 'policy:read' },
  'GET /[application]/rules/[version]': { access: 'policy:read', address: '/[application]/rules/1' },
  'GET /[application]/rules/edit': { access: 'policy:change' },
  'GET /[application]/settings': { access: 'own-settings:change' },

  'GET /api/back-office/[application]/overview': { access: 'overview:read' },
  'GET /api/back-office/[application]/intended': { access: 'transaction:decide' },
  'GET /api/back-office/[application]/live': { access: 'overview:read' },
  'GET /api/back-office/[application]/waiting': { access: 'overview:read' },
  'GET /api/back-office/[application]/waiting/items': { access: 'overview:read' },
  'GET /api/back-office/[application]/transactions': { access: 'transaction:read' },
  'GET /api/back-office/[application]/transactions/[transactionId]': { access: 'transaction:read' },
  'POST /api/back-office/[application]/transactions/export': { access: 'export:create', form: { format: 'csv' }, refused: 303 },
  'GET /api/back-office/[application]/exports': {
    access: 'export:create',
    address: `/api/back-office/[application]/exports?sha256=${'0'.repeat(64)}`,
  },
  'GET /api/back-office/[application]/exports/[exportId]/file': { access: 'export:create' },
  'GET /api/back-office/[application]/exports/[exportId]/record': { access: 'export:create' },
  'GET /api/back-office/[application]/approvals': { access: 'approval:read' },
  'GET /api/back-office/[application]/approvals/snapshot': { access: 'transaction:decide' },
  'GET /api/back-office/[application]/approvals/[transactionId]': {
    access: 'approval:read',
    address: '/api/back-office/[application]/approvals/[waitingId]',
  },
  'GET /api/back-office/[application]/approvals/batches/[batchId]': {
    access: 'approval:read',
    address: '/api/back-office/[application]/approvals/batches/[waitingBatchId]',
  },
  'GET /api/back-office/[application]/approvals/batches/[batchId]/rows': {
    access: 'approval:read',
    address: '/api/back-office/[application]/approvals/batches/[waitingBatchId]/rows',
  },
  'GET /api/back-office/[application]/batches/[batchId]/cells': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/batches/[batchId]/cells?field=amount',
  },
  'GET /api/back-office/[application]/batches/[batchId]/run': {
    access: 'transaction:read',
    address: '/api/back-office/[application]/batches/[waitingBatchId]/run',
  },
  'GET /api/back-office/[application]/batches/[batchId]/results': {
    access: 'export:create',
    address: '/api/back-office/[application]/batches/[waitingBatchId]/results',
  },
  'POST /api/back-office/[application]/batches': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/batches?type=DEPOSIT&fileName=roles.csv',
    upload: 'Téléphone;Nom;Montant;Opérateur\n237677209341;Clarisse Mbarga;5000;MOMOCM\n',
    allowed: 201,
  },
  'POST /api/back-office/[application]/beneficiaries/import': {
    access: 'beneficiary:change',
    address: '/api/back-office/[application]/beneficiaries/import?fileName=roles.csv&operator=MOMOCM',
    upload: 'Name;Phone number\nAwa Diop;237670000001\n',
    allowed: 200,
  },
  'POST /api/back-office/[application]/account-checks': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/account-checks?operator=MOMOCM&phoneNumber=237677209341',
    upload: '',
  },
  'POST /api/back-office/[application]/statements': {
    access: 'reconciliation:work',
    address: '/api/back-office/[application]/statements?wallet=OMCM&fileName=roles.csv&bytes=10&modified=1',
    upload: 'x',
    allowed: 409,
  },
  'POST /api/back-office/[application]/statements/[fileId]/pieces': {
    access: 'reconciliation:work',
    address: '/api/back-office/[application]/statements/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b/pieces?number=0',
    upload: 'x',
    allowed: 404,
  },
  'POST /api/back-office/[application]/statements/[fileId]/complete': {
    access: 'reconciliation:work',
    address: '/api/back-office/[application]/statements/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b/complete',
    upload: 'x',
    allowed: 404,
  },
  'POST /api/back-office/[application]/attachments': {
    access: 'transaction:create',
    address:
      '/api/back-office/[application]/attachments?payment=7d1f0c52-8a3e-4b6d-9c5f-2e4a6b8c0d1e&fileName=roles.pdf&bytes=10&modified=1',
    upload: 'x',
  },
  'POST /api/back-office/[application]/attachments/[fileId]/pieces': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/attachments/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b/pieces?number=0',
    upload: 'x',
    allowed: 404,
  },
  'POST /api/back-office/[application]/attachments/[fileId]/complete': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/attachments/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b/complete',
    upload: 'x',
    allowed: 404,
  },
  // The transactions of this test have no file.
  'GET /api/back-office/[application]/transactions/[transactionId]/attachment': { access: 'transaction:read', allowed: 404 },
  'GET /api/back-office/[application]/journal': {
    access: 'accounting:export',
    address: '/api/back-office/[application]/journal?from=2026-11-01&to=2026-11-30&currency=XAF',
    allowed: 404,
  },
  'GET /api/back-office/[application]/certificates': {
    access: 'reconciliation:read',
    address: '/api/back-office/[application]/certificates?wallet=OMCM',
    allowed: 404,
  },
  'GET /api/back-office/[application]/certificates/keys': { access: 'reconciliation:read', allowed: 404 },
  'GET /api/back-office/[application]/days/[wallet]/[day]/difference': {
    access: 'reconciliation:read',
    address: '/api/back-office/[application]/days/OMCM/2026-11-05/difference',
    allowed: 404,
  },
  'GET /api/back-office/[application]/settlements/[wallet]/[day]/export': {
    access: 'settlement:read',
    address: '/api/back-office/[application]/settlements/OMCM/2026-11-05/export',
    allowed: 404,
  },
  'GET /api/back-office/[application]/fees/[wallet]/claim': {
    access: 'reconciliation:read',
    address: '/api/back-office/[application]/fees/OMCM/claim?month=2026-11&language=fr',
    allowed: 404,
  },
  'GET /api/back-office/[application]/statements/[fileId]/bad-rows': {
    access: 'reconciliation:read',
    address: '/api/back-office/[application]/statements/6f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b/bad-rows',
    allowed: 404,
  },
  'GET /api/back-office/[application]/batches/template': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/batches/template?format=csv',
  },
  'GET /api/back-office/[application]/batches/[batchId]/rows': { access: 'export:create' },
  'GET /api/back-office/[application]/audit/chain': { access: 'audit:read' },
  'GET /api/back-office/[application]/audit/export': { access: 'audit:read' },
  'GET /api/back-office/[application]/totals': { access: 'total:read' },
  'GET /api/back-office/[application]/totals/pivot': { access: 'total:read' },
  'GET /api/back-office/[application]/transactions/unconfirmed': { access: 'transaction:read' },
  'GET /api/back-office/[application]/transactions/unconfirmed/export': { access: 'export:create' },
  'GET /api/back-office/[application]/suggestions': {
    access: 'transaction:read',
    address: '/api/back-office/[application]/suggestions?q=awa',
  },
  'GET /api/back-office/[application]/beneficiaries': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/beneficiaries?q=awa&type=DEPOSIT',
  },
  'GET /api/back-office/[application]/payment-preview': {
    access: 'transaction:create',
    address: '/api/back-office/[application]/payment-preview?type=DEPOSIT&operator=MOMOCM&phoneNumber=237677209341&amount=5000',
  },
  'GET /api/back-office/[application]/totals/export': { access: 'export:create' },
  'GET /api/back-office/[application]/totals/pivot/export': { access: 'export:create' },
  'GET /api/back-office/[application]/balances': { access: 'balance:read' },
  'GET /api/back-office/[application]/balances/export': { access: 'export:create' },
  'GET /api/back-office/[application]/balances/[operator]': { access: 'statement:read' },
  'GET /api/back-office/[application]/balances/[operator]/lines': { access: 'statement:read' },
  'GET /api/back-office/[application]/balances/[operator]/export': { access: 'statement:read' },
}

/** Every server action, by its file and name. */
export const ACTIONS: Record<string, Access> = {
  'app/actions/session.ts setTheme': 'public',
  'app/actions/session.ts setLanguage': 'public',
  'app/actions/page-failure.ts reportPageFailure': 'overview:read',
  'app/actions/deputies.ts endDeputyship': 'own-settings:change',
  'app/actions/saved-views.ts saveView': 'own-settings:change',
  'app/actions/saved-views.ts changeView': 'own-settings:change',
  'app/actions/saved-views.ts deleteView': 'own-settings:change',
  'app/actions/changes.ts proposeChange': 'change:propose',
  'app/actions/changes.ts confirmChange': 'change:propose',
  'app/actions/changes.ts proposeAdjustments': 'change:propose',
  'app/actions/changes.ts confirmBatch': 'change:propose',
  'app/actions/changes.ts collectSecret': 'change:propose',
  'app/actions/changes.ts refuseChange': 'change:propose',
  'app/actions/changes.ts withdrawChange': 'change:propose',
  'app/actions/session.ts signOut': 'public',
  'app/actions/session.ts signOutEverywhere': 'public',
  'app/actions/session.ts startProof': 'public',
  'app/actions/session.ts dismissCodeWarning': 'public',
  'app/sign-in/actions.ts signInAction': 'public',
  'app/sign-in/actions.ts startPasskeyAction': 'public',
  'app/sign-in/actions.ts passkeyAction': 'public',
  'app/sign-in/actions.ts codeAction': 'public',
  'app/sign-in/actions.ts enrolAction': 'public',
  'app/sign-in/actions.ts openInvitation': 'public',
  'app/sign-in/actions.ts joinApplication': 'public',
  'app/sign-in/actions.ts openPasswordLink': 'public',
  'app/sign-in/actions.ts chooseNewPassword': 'public',
  'app/sign-in/actions.ts answerInvitation': 'public',
  'app/(back-office)/[application]/transactions/actions.ts synchronise': 'transaction:synchronise',
  'app/(back-office)/[application]/transactions/actions.ts synchroniseSeveral': 'transaction:synchronise',
  'app/(back-office)/[application]/transactions/actions.ts resend': 'webhook:resend',
  'app/(back-office)/[application]/transactions/actions.ts refundCollect': 'transaction:create',
  'app/(back-office)/[application]/new/actions.ts sendForApproval': 'transaction:create',
  'app/(back-office)/[application]/new/actions.ts keepDraft': 'transaction:create',
  'app/(back-office)/[application]/new/actions.ts detachFile': 'transaction:create',
  'app/(back-office)/[application]/new/actions.ts discardDraft': 'transaction:create',
  'app/(back-office)/[application]/approvals/actions.ts decideTransactions': 'transaction:decide',
  'app/(back-office)/[application]/approvals/actions.ts recallWaiting': 'transaction:recall',
  'app/(back-office)/[application]/approvals/actions.ts decideWholeBatch': 'transaction:decide',
  'app/(back-office)/[application]/approvals/actions.ts recallWholeBatch': 'transaction:recall',
  'app/(back-office)/[application]/approvals/actions.ts undoDecision': 'transaction:decide',
  'app/(back-office)/[application]/approvals/actions.ts dismissNotice': 'transaction:decide',
  'app/(back-office)/[application]/links/actions.ts createLink': 'link:create',
  'app/(back-office)/[application]/links/actions.ts closeLink': 'link:close',
  'app/(back-office)/[application]/beneficiaries/actions.ts editBeneficiary': 'beneficiary:change',
  'app/(back-office)/[application]/beneficiaries/actions.ts archiveBeneficiary': 'beneficiary:change',
  'app/(back-office)/[application]/beneficiaries/actions.ts prepareList': 'transaction:create',
  'app/(back-office)/[application]/beneficiaries/schedule-actions.ts scheduleList': 'transaction:create',
  'app/(back-office)/[application]/beneficiaries/schedule-actions.ts endListSchedule': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts pauseRun': 'batch:control',
  'app/(back-office)/[application]/batches/actions.ts planRun': 'batch:control',
  'app/(back-office)/[application]/batches/actions.ts resumeRun': 'batch:control',
  'app/(back-office)/[application]/batches/actions.ts stopRun': 'batch:control',
  'app/(back-office)/[application]/batches/actions.ts retryRun': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts assignColumns': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts decideRepair': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts editRows': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts excludeRows': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts submitBatch': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts checkNames': 'transaction:create',
  'app/(back-office)/[application]/batches/actions.ts discardBatch': 'transaction:create',
  'app/(back-office)/[application]/close/actions.ts importStatement': 'reconciliation:work',
  'app/(back-office)/[application]/close/actions.ts previewColumns': 'wallet:change',
  'app/(back-office)/[application]/close/actions.ts withdrawStatement': 'reconciliation:work',
  'app/(back-office)/[application]/close/actions.ts matchLine': 'reconciliation:work',
  'app/(back-office)/[application]/close/actions.ts undoMatch': 'reconciliation:work',
  'app/(back-office)/[application]/close/actions.ts prepareDay': 'day:sign',
  'app/(back-office)/[application]/close/actions.ts signDay': 'day:sign',
  'app/(back-office)/[application]/waiting/actions.ts dismissReturned': 'transaction:create',
  'app/(back-office)/[application]/close/exceptions/actions.ts takeException': 'reconciliation:work',
  'app/(back-office)/[application]/close/exceptions/actions.ts handOverException': 'exception:hand-over',
  'app/(back-office)/[application]/close/exceptions/actions.ts noteOnException': 'reconciliation:work',
  'app/(back-office)/[application]/close/exceptions/actions.ts closeException': 'reconciliation:work',
  'app/actions/transit.ts markTransit': 'reconciliation:work',
  'app/actions/transit.ts undoMark': 'reconciliation:work',
  'app/(back-office)/[application]/operators/actions.ts testOperator': 'operator:test',
  'app/(back-office)/[application]/operators/actions.ts openAgain': 'operator:configure',
  'app/(back-office)/[application]/operators/actions.ts sendNow': 'operator:configure',
  'app/(back-office)/[application]/operators/actions.ts trySettings': 'operator:configure',
  'app/(back-office)/[application]/operators/actions.ts tryChange': 'operator:configure',
  'app/(back-office)/[application]/operators/actions.ts returnToPrevious': 'operator:configure',
  'app/(back-office)/[application]/people/actions.ts activateMember': 'people:change',
  'app/(back-office)/[application]/people/actions.ts renewLink': 'people:change',
  'app/(back-office)/[application]/people/actions.ts withdrawLink': 'people:change',
  'app/(back-office)/[application]/people/actions.ts endSessions': 'people:change',
  'app/(back-office)/[application]/people/actions.ts suspendPerson': 'people:change',
  'app/(back-office)/[application]/balances/actions.ts setThreshold': 'balance:set-threshold',
  'app/(back-office)/[application]/rules/actions.ts saveRules': 'policy:change',
  'app/(back-office)/[application]/rules/actions.ts restoreRules': 'policy:change',
  'app/(back-office)/[application]/keys/actions.ts revokeKey': 'access:revoke',
  'app/(back-office)/[application]/keys/actions.ts blockApiUser': 'access:revoke',
  'app/(back-office)/[application]/webhooks/actions.ts countRecovery': 'webhook:recover',
  'app/(back-office)/[application]/webhooks/actions.ts startRecovery': 'webhook:recover',
  'app/(back-office)/[application]/webhooks/actions.ts stopRecovery': 'webhook:recover',
  'app/(back-office)/[application]/webhooks/actions.ts sendTestWebhook': 'webhook:recover',
  'app/(back-office)/[application]/sandbox/actions.ts startTest': 'sandbox:use',
  'app/docs/actions.ts runDocsExample': 'sandbox:use',
  'app/(back-office)/[application]/settings/actions.ts changeLook': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts changeNotices': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts turnOnBrowser': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts turnOffBrowser': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts sendTest': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts changePassword': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts startEnrolment': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts confirmEnrolment': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts renewCodes': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts switchOff': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts startPasskey': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts addPasskey': 'own-settings:change',
  'app/(back-office)/[application]/settings/actions.ts deletePasskey': 'own-settings:change',
}

/** Actions that take no input beyond the application: a permitted call would take effect, so only refusals are tried. */
export const WITHOUT_INPUT: ReadonlySet<string> = new Set([
  'app/actions/session.ts signOut',
  'app/actions/session.ts signOutEverywhere',
  'app/actions/session.ts dismissCodeWarning',
  'app/actions/session.ts startProof',
  'app/sign-in/actions.ts startPasskeyAction',
  'app/(back-office)/[application]/settings/actions.ts startEnrolment',
])
