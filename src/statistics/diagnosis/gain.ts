import type { Decimal } from '../../model/decimal.ts';
import type { RunRecord } from '../run-record.ts';
import type { Severity } from './finding.ts';

/** What the run made in all, open positions included. */
export function gainOf({ startEquity, finalEquity }: RunRecord): Decimal {
  return finalEquity.minus(startEquity);
}

/** Of a part that is `share` of a gain: without all of it (or more) nothing is left. */
export function severityOfShare(share: number): Severity {
  return share >= 1 ? 'critical' : 'warning';
}
