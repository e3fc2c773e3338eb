import type { ScannedRequest } from '../otlp/scan-request.ts'

/** The intake is full; the sender is to come again later. */
export class IntakeFullError extends Error {
  override readonly name = 'IntakeFullError'
}

/** Takes the spans of a request. */
export interface SpanIntake {
  /**
   * Resolves when all spans of the request are durable. What could not be read of it is no matter of the intake.
   *
   * @throws {IntakeFullError} where it holds as much as it may
   * @throws {StoreError} where the store cannot write
   */
  take(request: ScannedRequest): Promise<void>
}
