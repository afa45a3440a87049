import { codeRow, type ExchangeCode } from '../exchange/errors.ts';

/** A request is refused with one of the documented codes. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** HTTP. */
  readonly status: number;

  constructor(
    readonly code: ExchangeCode,
    message?: string,
    status?: number,
  ) {
    super(message ?? codeRow(code)!.meaning);
    this.status = status ?? codeRow(code)!.status;
  }
}
