import { parseExactDecimal } from '../columns/decimals.ts';
import { maxPriceDecimals } from '../columns/series-meta.ts';
import type { LoggedPoll, LoggedPrice } from './log-record.ts';

/** The replies to one poll, as the exchange wrote them. */
export interface Polled {
  /** Epoch ms at which the replies had arrived. */
  readonly time: number;
  readonly prices: readonly {
    readonly symbol: string;
    readonly last: string;
    readonly mark?: string | undefined;
    readonly stamp: number;
  }[];
  readonly missing: readonly { readonly symbol: string; readonly reason: string }[];
}

/** A stamp this much older than our clock, in ms, is not the time of a live price and is ignored. */
const OLDEST_MS = 60_000;

/**
 * Turns a poll into a record for the log: only prices that changed since the previous record. A price that is not a number above 0, or
 * whose stamp is older than the newest one (a delayed replica), counts as no reply.
 */
export class LatestPrices {
  /** The newest prices in the current log, by symbol. */
  readonly #logged = new Map<string, string>();
  readonly #stamps = new Map<string, number>();

  /** @param time epoch ms, used in place of the poll's own time where that has not increased. */
  recordOf({ prices, missing }: Polled, time: number): LoggedPoll {
    const silent = missing.map(({ symbol, reason }) => [symbol, reason] as const);
    const changed: LoggedPrice[] = [];
    for (const { symbol, last, mark, stamp } of prices) {
      const isSound = stamp <= time && stamp >= time - OLDEST_MS;
      const trouble = this.#troubleWith(symbol, last, isSound ? stamp : undefined);
      if (trouble !== undefined) {
        silent.push([symbol, trouble]);
        continue;
      }
      if (isSound) this.#stamps.set(symbol, stamp);
      const sound = mark !== undefined && isPrice(mark, maxPriceDecimals('mark')) ? mark : undefined;
      if (this.#logged.get(symbol) === `${last} ${sound}`) continue;
      changed.push(sound === undefined ? [symbol, last, stamp] : [symbol, last, stamp, sound]);
    }
    return {
      kind: 'poll',
      time,
      ...(changed.length === 0 ? {} : { prices: changed }),
      ...(silent.length === 0 ? {} : { missing: silent }),
    };
  }

  /** Called after the record has been written to the log. */
  logged({ prices = [] }: LoggedPoll): void {
    for (const [symbol, last, , mark] of prices) this.#logged.set(symbol, `${last} ${mark}`);
  }

  /** Clears the logged prices: the record of the next poll contains every price again. */
  forget(): void {
    this.#logged.clear();
  }

  #troubleWith(symbol: string, last: string, stamp: number | undefined): string | undefined {
    if (!isPrice(last, maxPriceDecimals('ticker'))) return `its price is ${JSON.stringify(last.slice(0, 40))}`;
    const isOlder = stamp !== undefined && stamp < (this.#stamps.get(symbol) ?? stamp);
    return isOlder ? `its ticker of ${stamp} is older than the one before` : undefined;
  }
}

function isPrice(text: string, mostDecimals: number): boolean {
  const exact = parseExactDecimal(text);
  return exact !== undefined && exact.digits > 0n && exact.decimals <= mostDecimals && exact.digits <= Number.MAX_SAFE_INTEGER;
}
