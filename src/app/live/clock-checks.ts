import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { isoTime } from '../../model/time.ts';
import { RECONCILE_DEFAULTS } from '../../venues/reconcile/settings.ts';

/** The number of clock measurements. The one with the shortest round trip counts. */
const MEASUREMENTS = 3;

/** A measured offset of the exchange's clock. */
export interface ClockFinding {
  readonly offsetMs: number;
  /** The largest possible error of `offsetMs`: half of the round trip. */
  readonly errorMs: number;
  /** Describes an offset that is certainly too large. */
  readonly trouble: string | undefined;
}

/** Measures how far the exchange's clock is ahead. A slow network proves nothing about the clock. @throws ExchangeError */
export async function clockTrouble(client: Pick<ExchangeClient, 'measureClock'>): Promise<ClockFinding> {
  let best = { offsetMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let time = 0; time < MEASUREMENTS; time++) {
    const found = await client.measureClock();
    if (found.errorMs <= best.errorMs) best = found;
  }
  const { offsetMs, errorMs } = best;
  const { clockErrorMs } = RECONCILE_DEFAULTS;
  if (Math.abs(offsetMs) <= clockErrorMs + errorMs) return { ...best, trouble: undefined };
  const where = offsetMs > 0 ? 'behind' : 'ahead of';
  const ms = (value: number) => Math.round(Math.abs(value));
  const text = `this machine's clock is ${ms(offsetMs)} ms ${where} the exchange's (within ${ms(errorMs)} ms), expected at most ${clockErrorMs} ms: synchronize it (NTP)`;
  return { ...best, trouble: text };
}

/** The clocks of this machine and of the exchange at one moment, epoch ms. */
export interface ClocksRead {
  readonly wall: number;
  readonly exchange: number;
  /** The largest possible error of `exchange`, in ms. */
  readonly errorMs: number;
}

/** Describes clocks that are certainly too far apart. This does no harm to orders of a running bot, but its next start waits for it. */
export function clocksApart(clocks: ClocksRead | undefined): string[] {
  if (clocks === undefined) return [];
  const { wall, exchange, errorMs } = clocks;
  const aheadMs = Math.round(wall - exchange);
  if (Math.abs(aheadMs) <= RECONCILE_DEFAULTS.clockErrorMs + errorMs) return [];
  const apart = `${Math.abs(aheadMs)} ms ${aheadMs > 0 ? 'ahead of' : 'behind'} the exchange's`;
  const shown = `this machine's clock shows ${isoTime(wall)}, the exchange's ${isoTime(exchange)}`;
  return [`${shown}: it is ${apart}; synchronize it (NTP): a restart waits for that`];
}
