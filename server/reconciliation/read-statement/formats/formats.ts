import { AIRTEL } from './airtel.ts'
import type { StatementFormat } from './format.ts'
import { MOOV } from './moov.ts'
import { MTN } from './mtn.ts'
import { ORANGE_BF } from './orange-bf.ts'
import { ORANGE_CM } from './orange-cm.ts'
import { WAVE } from './wave.ts'

/** Every format that is recognised from its header. */
export const FORMATS: readonly StatementFormat[] = [MTN, WAVE, ORANGE_CM, ORANGE_BF, MOOV, AIRTEL]
