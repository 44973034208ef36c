import { gzipSync } from 'node:zlib'
import { csv, MTN_HEADER, mtnRow, ORANGE_CM_HEADER, xlsx } from '#server/reconciliation/testing/statements.ts'
import { expect, signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'
import { AIRTEL_HEADER, importStatement, uploadStatement } from './statements.ts'

/** A statement as its operator prints it: of two days ago, with two payments of 4,200 and 800, and where `hasBad` a row that nobody can read. */
type Printed = {
  format: string
  wallet: string
  fileName: string
  hasBad: boolean
  print: (day: Day, mark: string) => Promise<Buffer> | Buffer
}
type Day = { iso: string; slashed: string; dashed: string; named: string }

const DAY_MS = 86_400_000
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The day before yesterday, as each operator writes it. At noon it is the same day in every country that we serve. */
function dayOf(now: Date): Day {
  const iso = new Date(now.getTime() - 2 * DAY_MS).toISOString().slice(0, 10)
  const [year = '', month = '', day = ''] = iso.split('-')
  const named = `${day}-${MONTHS[Number(month) - 1]}-${year.slice(2)}`
  return { iso, slashed: `${day}/${month}/${year}`, dashed: `${day}-${month}-${year}`, named }
}

const orange = (cells: readonly string[]) => [...cells, ...Array.from({ length: 17 }, () => '')].slice(0, 17)
const lines = (...rows: string[]) => Buffer.from(rows.join('\r\n'))

const PRINTED: readonly Printed[] = [
  {
    format: 'MTN',
    wallet: 'BJMTN-collect',
    fileName: 'mtn.csv',
    hasBad: true,
    print({ iso }, mark) {
      const row = (id: string, Amount: string) =>
        mtnRow({
          Id: id,
          Date: `${iso} 12:00:00`,
          Status: 'Successful',
          Type: 'Debit',
          From: 'FRI:2290197000002/MSISDN',
          Amount,
          Currency: 'XOF',
        })
      return Buffer.from(csv([MTN_HEADER, row(`${mark}1`, '4,200'), row(`${mark}2`, '800'), row(`${mark}3`, 'soon')]))
    },
  },
  {
    format: 'Wave collects',
    wallet: 'CIWAVE',
    fileName: 'wave.csv',
    hasBad: true,
    print: ({ iso }, mark) =>
      lines(
        'timestamp,transaction_id,transaction_type,amount,fee,currency,counterparty_mobile,client_reference,checkout_api_session_id,aggregated_merchant_id,aggregated_merchant_name',
        `${iso} 12:00:00 PM,${mark}1,merchant_payment,"4,158",42,XOF,+2250707123456,,cos-1,,`,
        `${iso} 12:00:30 PM,${mark}2,merchant_payment,792,8,XOF,+2250707123457,,cos-2,,`,
        `soon,${mark}3,merchant_payment,792,8,XOF,+2250707123457,,cos-2,,`,
      ),
  },
  {
    format: 'Wave payouts',
    wallet: 'SNWAVE',
    fileName: 'payouts.csv',
    hasBad: false,
    print: ({ slashed }, mark) =>
      Buffer.from(
        [
          'Horodatage;Identifiant de transaction;Type de transaction;Montant;Frais;Solde;Devise;Nom de contrepartie;Numéro de téléphone de contrepartie;Référence client;Identifiant de session API;Identifiant marchand agrégé;Nom marchand agrégé',
          `${slashed} 12:00:00;${mark}1;api_payout;-4 242,00;42,00;95 758,00;XOF;Awa Diop;+221 77 123 45 67;;;;`,
          `${slashed} 12:01:00;${mark}2;api_payout;-808,00;8,00;94 950,00;XOF;Awa Diop;+221 77 123 45 68;;;;`,
        ].join('\r\n'),
        'latin1',
      ),
  },
  {
    format: 'Orange Cameroon',
    wallet: 'OMCM',
    fileName: 'releve.xlsx',
    hasBad: false,
    print({ slashed }, mark) {
      const row = (number: string, credit: string) =>
        orange([
          ...[
            number,
            slashed,
            '12:00:00',
            `${mark}${number}`,
            'Paiement',
            'Web',
            'Succès',
            'USSD',
            '655123456',
            'Normal',
            '',
            '690000101',
            'Marchand',
          ],
          ...['0', credit, '', 'X'],
        ])
      const total = orange(['Total', '', '', '', '', '', '', '', '', '', '', '', '', '0', '5 000'])
      return xlsx([['Relevé de compte'], orange(['Compte : 690000101']), ...ORANGE_CM_HEADER, row('1', '4 200'), row('2', '800'), total])
    },
  },
  {
    format: 'Orange Burkina Faso',
    wallet: 'BFOM',
    fileName: 'orange-bf.csv',
    hasBad: true,
    print: ({ slashed }, mark) =>
      lines(
        'TRANSFER_DATE;TRANSFER_STATUS;TRANSFER_ID;ORDER_ID;MSISDN;REFERENCE_NUMBER;STATEMENT;TRANSFER_AMOUNT;CREDIT;DEBIT;FEES;PREVIOUS_BAL;AFTER_BAL;REMARKS;FTXN_ID',
        `${slashed} 12:01:00;TS;${mark}2;O-2;76123456;;Merchant Payment;800;800;0;0;14200;15000;;F2`,
        `${slashed} 12:00:00;TS;${mark}1;O-1;06123456;;Merchant Payment;4200;4200;0;0;10000;14200;;F1`,
        `soon;TS;${mark}3;O-0;06123456;;Merchant Payment;1;1;0;0;10000;10000;;F0`,
      ),
  },
  {
    format: 'Moov',
    wallet: 'BJMOOV',
    fileName: 'moov.csv',
    hasBad: true,
    print: ({ dashed }, mark) =>
      lines(
        'Organization Name:,KORA STORES BENIN',
        'Short Code:,,60123',
        `Time Period:,"From ${dashed} 00:00:00 to ${dashed} 23:59:59"`,
        `Report Date:,"${dashed} 23:59:59"`,
        ',',
        'Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Currency,Paid In,Withdrawn,Balance,Reason Type,Opposite Party,Linked Transaction ID,Remark',
        `${mark}2,\t${dashed} 12:01:00,\t${dashed} 12:00:58,Payment,Completed,XOF,800.00,,"15,000.00",Customer Pay,2290197000003 - AWA,,`,
        `${mark}1,\t${dashed} 12:00:00,\t${dashed} 11:59:58,Payment,Completed,XOF,"4,200.00",,"14,200.00",Customer Pay,2290197000004 - AWA,,`,
        `${mark}3,soon,soon,Payment,Completed,XOF,1.00,,,Customer Pay,2290197000004 - AWA,,`,
      ),
  },
  {
    format: 'Airtel, packed',
    wallet: 'UGAIRTEL-deposit',
    fileName: 'airtel.csv.gz',
    hasBad: true,
    print: ({ named }, mark) =>
      gzipSync(
        [
          'Mobile Number,256700001302',
          AIRTEL_HEADER,
          `${mark}1,${named} 12:00 PM,Paid to 0701234567 OKELLO,Transaction Success,"4,200",Debit,0,"15,800"`,
          `${mark}2,${named} 12:01 PM,Paid to 0701234568 OKELLO,Transaction Success,800,Debit,0,"15,000"`,
          `${mark}3,soon,Paid to 0701234568 OKELLO,Transaction Success,1,Debit,0,"15,000"`,
        ].join('\n'),
      ),
  },
]

for (const { format, wallet, fileName, hasBad, print } of PRINTED)
  test(`${format}: recognised by its content, its counts shown before the import, its lines on the page of their day`, async ({ page }) => {
    const fatou = personWith(['finance'])
    const mark = `F${Date.now().toString(36).toUpperCase()}`
    await signIn(page, fatou, `/${fatou.slug}/close`)
    await uploadStatement(page, fatou.slug, { wallet, content: await print(dayOf(new Date()), mark), name: fileName })
    await expect(page.getByText('Ready to import')).toBeVisible({ timeout: 30_000 })
    if (hasBad) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
      expect(download.suggestedFilename()).toMatch(/^statement-rows-.*\.csv$/)
    }
    await importStatement(page, 2)
    await page.getByRole('link', { name: 'Compare the last day' }).click()
    await page.getByRole('link', { name: 'Unknown payment' }).click()
    for (const line of [`${mark}1`, `${mark}2`]) await expect(page.getByText(line, { exact: true }).first()).toBeVisible()
  })
