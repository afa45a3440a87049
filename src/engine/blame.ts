import { TidegateError } from '../model/errors.ts';
import type { MarketEvent } from '../model/market-events.ts';

/** What the engine was doing when something threw. */
export interface Blame {
  /** `strategy "sma"`, `risk`, `the state`. */
  readonly who: string;
  /** `bar 120 of BTC-USDT`, `onStart`. */
  readonly what: string;
  /** Epoch ms. */
  readonly time: number;
}

const FRAME = /\(?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?\s*$/;

/** The run-stopping error for something thrown: who, at which event, where in which file. */
export function blamed(error: unknown, { who, what, time }: Blame): TidegateError {
  if (error instanceof TidegateError && error.code !== 'STRATEGY_THREW') return error;
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').map((line) => (line.trimStart().startsWith('at ') ? FRAME.exec(line)?.[1] : undefined));
  const place = frame.find((found) => found !== undefined && !found.startsWith('node:'));
  const where = place === undefined ? '' : `\n  at ${place.replace('file://', '')}`;
  const when = Number.isFinite(time) ? ` (${new Date(time).toISOString()})` : '';
  return new TidegateError('STRATEGY_THREW', `${who} threw at ${what}${when}: ${message}${where}`, { cause: error });
}

/** `bar 120 of BTC-USDT`; words are as they are. */
export function describe(doing: string | MarketEvent): string {
  return typeof doing === 'string' ? doing : `${doing.kind} ${doing.sequence} of ${doing.symbol}`;
}
