import type { OperatorCode } from '#lib/operators/operators.ts'

/** A phone number of each code, without its last three digits, which tell the simulator what to do. */
export const NUMBER_STEMS: Readonly<Record<OperatorCode, string>> = {
  OMCM: '237690209',
  MOMOCM: '237677209',
  CIWAVE: '2250701020',
  CIOM: '2250701021',
  SNWAVE: '221772093',
  SNOM: '221772094',
  SNFREE: '221761209',
  BFOM: '22667209',
  MLMOOV: '22366209',
  BJMTN: '2290196123',
  BJMOOV: '2290195209',
  UGMTN: '256772123',
  UGAIRTEL: '256702123',
}
