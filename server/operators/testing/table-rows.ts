/** The rows of the simulator's table that end: last digits, status, message. */
export const TABLE_ROWS = [
  ['341', 'SUCCESS', 'Transaction réussie'],
  ['901', 'FAILED', 'Solde insuffisant'],
  ['902', 'FAILED', 'Numéro invalide'],
  ['903', 'FAILED', 'Transaction annulée par le client'],
  ['904', 'FAILED', 'Timeout opérateur'],
  ['905', 'FAILED', 'Compte non inscrit'],
  ['906', 'SUCCESS', 'Transaction réussie'],
  ['907', 'SUCCESS', 'Transaction réussie'],
  ['908', 'FAILED', 'Timeout opérateur'],
  ['909', 'SUCCESS', 'Transaction réussie'],
  ['910', 'SUCCESS', 'Transaction réussie'],
  ['911', 'SUCCESS', 'Transaction réussie'],
  ['913', 'FAILED', 'Transaction annulée par le client'],
  ['914', 'SUCCESS', 'Transaction réussie'],
] as const
