import type { SecretPlace } from './keyring.ts'

/** A column of text whose values are secrets. `identity` is the table's primary key, whose columns are UUIDs. */
export type SealedColumn = { table: string; identity: readonly string[]; field: string }

/** Every column that holds secrets which must be readable again. Secrets that are only compared are stored as digests instead. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_secrets', identity: ['application_id', 'webhook_secret_id'], field: 'secret' },
  { table: 'people', identity: ['person_id'], field: 'totp_secret' },
  { table: 'operator_settings', identity: ['operator_settings_id'], field: 'document' },
  { table: 'operator_settings', identity: ['operator_settings_id'], field: 'previous_document' },
  { table: 'operator_access_tokens', identity: ['operator_access_token_id'], field: 'token' },
  { table: 'operator_work', identity: ['application_id', 'transaction_id'], field: 'customer_code' },
  { table: 'proposed_changes', identity: ['application_id', 'change_id'], field: 'sealed_payload' },
  { table: 'person_invitations', identity: ['application_id', 'invitation_id'], field: 'code' },
  { table: 'certificate_keys', identity: ['application_id', 'key_id'], field: 'private_key' },
  { table: 'account_checks', identity: ['application_id', 'account_check_id'], field: 'holder_name' },
  { table: 'link_mails', identity: ['link_mail_id'], field: 'link_token' },
  { table: 'push_keys', identity: ['push_key_id'], field: 'private_key' },
  { table: 'notice_browsers', identity: ['browser_id'], field: 'subscription' },
]

/** A row that comes before all others of a column: no row is made with it. */
export function rowBeforeAll({ identity }: SealedColumn): string {
  return identity.map(() => '00000000-0000-0000-0000-000000000000').join('/')
}

/** The place of an application's webhook secret. */
export function webhookSecretPlace(applicationId: string, webhookSecretId: string): SecretPlace {
  return { table: 'webhook_secrets', row: `${applicationId}/${webhookSecretId}`, field: 'secret' }
}

/** The place of the secret of a person's second factor. */
export function totpSecretPlace(personId: string): SecretPlace {
  return { table: 'people', row: personId, field: 'totp_secret' }
}

/** The place of the settings of one operator and protocol, which hold its credentials. */
export function operatorSettingsPlace(operatorSettingsId: string): SecretPlace {
  return { table: 'operator_settings', row: operatorSettingsId, field: 'document' }
}

/** The place of the settings that those of one operator and protocol replaced. */
export function previousSettingsPlace(operatorSettingsId: string): SecretPlace {
  return { table: 'operator_settings', row: operatorSettingsId, field: 'previous_document' }
}

/** The place of an access token that an operator issued. */
export function operatorTokenPlace(operatorAccessTokenId: string): SecretPlace {
  return { table: 'operator_access_tokens', row: operatorAccessTokenId, field: 'token' }
}

/** The place of the code that a customer entered for a payment. */
export function customerCodePlace(applicationId: string, transactionId: string): SecretPlace {
  return { table: 'operator_work', row: `${applicationId}/${transactionId}`, field: 'customer_code' }
}

/** The place of the input of a proposed change that holds secrets. */
export function proposedChangePlace(applicationId: string, changeId: string): SecretPlace {
  return { table: 'proposed_changes', row: `${applicationId}/${changeId}`, field: 'sealed_payload' }
}

/** The place of the code that a person tells the proposer of their invitation. */
export function invitationCodePlace(applicationId: string, invitationId: string): SecretPlace {
  return { table: 'person_invitations', row: `${applicationId}/${invitationId}`, field: 'code' }
}

/** The place of a key of the installation that signs certificates of days. */
export function certificateKeyPlace(applicationId: string, keyId: string): SecretPlace {
  return { table: 'certificate_keys', row: `${applicationId}/${keyId}`, field: 'private_key' }
}

/** The place of the name under which an operator has registered a customer's account. */
export function holderNamePlace(applicationId: string, accountCheckId: string): SecretPlace {
  return { table: 'account_checks', row: `${applicationId}/${accountCheckId}`, field: 'holder_name' }
}

/** The place of the token in the link of a mail that is not sent yet. */
export function linkTokenPlace(linkMailId: string): SecretPlace {
  return { table: 'link_mails', row: linkMailId, field: 'link_token' }
}

/** The place of the key with which the installation signs requests to push services. */
export function pushKeyPlace(pushKeyId: string): SecretPlace {
  return { table: 'push_keys', row: pushKeyId, field: 'private_key' }
}

/** The place of the address and keys of a browser in which a person wants to be told. */
export function subscriptionPlace(browserId: string): SecretPlace {
  return { table: 'notice_browsers', row: browserId, field: 'subscription' }
}
