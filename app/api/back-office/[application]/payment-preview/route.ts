import type { NextRequest } from 'next/server'
import type { ShownPaymentPreview } from '#lib/payment-preview.ts'
import { err, ok } from '#lib/result.ts'
import { paymentPreviewSchema } from '#lib/schemas/payment.ts'
import { previewPayment } from '#server/approvals/preview-payment.ts'
import { answerData } from '#server/back-office/answer-data.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listDisturbed } from '#server/operators/availability/list-disturbed.ts'

export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  return answerData(
    { application, permission: 'transaction:create', schema: paymentPreviewSchema, searchParams: request.nextUrl.searchParams },
    async (actor, { type, operator, phone, name, amount, from }) => {
      const runtime = backOfficeRuntime()
      const snapshot = runtime.directory.find(actor.applicationId)
      // A new application is in the memory of each process within a second.
      if (!snapshot) return err('unavailable')
      const payment = {
        type,
        operator,
        phoneNumber: phone ?? null,
        customerName: name ?? null,
        amountMinor: amount ?? null,
        originId: from ?? null,
      }
      const [preview, disturbed] = await Promise.all([
        previewPayment(runtime, { application: snapshot, makerId: actor.id, payment, now: runtime.clock.now() }),
        listDisturbed(runtime.pool, actor.applicationId),
      ])
      const found = disturbed.find((direction) => direction.operator === operator && direction.type === type)
      return ok({ ...preview, disturbed: found ?? null } satisfies ShownPaymentPreview)
    },
  )
}
