import type { AccountEvent, OrderDenied, OrderFilled, OrderSubmitted } from '../../../model/account-events.ts';

/** An order in the status. */
export interface OrderShown {
  /** Epoch ms. */
  readonly time: number;
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  /** In base; for an order by amount, in quote. */
  readonly quantity: string;
  readonly price?: string;
}

/** A fill in the status. */
export interface FillShown {
  /** Epoch ms. */
  readonly time: number;
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
}

/** Consecutive intents that were all denied. */
export interface DeniedStreak {
  readonly count: number;
  /** Epoch ms of the first. */
  readonly since: number;
  /** How often, by code. */
  readonly codes: Readonly<Record<string, number>>;
}

const FILLS_KEPT = 5;
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** The number of consecutive denials, with no order between, from which a streak is reported. */
export const DENIED_IN_A_ROW = 10;

/** The recent activity of a bot, for its status. It receives each account event of this run and, from the journal, of earlier ones. */
export class Activity {
  lastOrder: OrderShown | undefined;
  #fills: FillShown[] = [];
  /** Counts by code, by the minute since the epoch; no older than an hour. */
  readonly #denied = new Map<number, Map<string, number>>();
  #streak: { count: number; since: number; codes: Map<string, number> } | undefined;

  take(event: AccountEvent): void {
    if (event.kind === 'orderSubmitted') this.#submitted(event);
    else if (event.kind === 'orderFilled') this.#filled(event);
    else if (event.kind === 'orderDenied') this.#refused(event);
  }

  /** Newest first. */
  get lastFills(): readonly FillShown[] {
    return this.#fills;
  }

  /** The number of denials within the hour before `now`, by code. */
  deniedSince(now: number): Record<string, number> {
    const from = Math.floor(now / MINUTE_MS) - HOUR_MINUTES;
    const counts: Record<string, number> = {};
    for (const [minute, codes] of this.#denied) {
      if (minute > from) for (const [code, count] of codes) counts[code] = (counts[code] ?? 0) + count;
    }
    return counts;
  }

  /** The present streak of denials, if it has at least `DENIED_IN_A_ROW`. */
  get deniedStreak(): DeniedStreak | undefined {
    const streak = this.#streak;
    if (streak === undefined || streak.count < DENIED_IN_A_ROW) return undefined;
    return { count: streak.count, since: streak.since, codes: Object.fromEntries(streak.codes) };
  }

  #submitted({ time, clientOrderId, request, type, again }: OrderSubmitted): void {
    this.#streak = undefined;
    if (again) return;
    const { instrument, strategyId, side, steps, quoteQuantity, priceTicks } = request;
    this.lastOrder = {
      time,
      clientOrderId,
      strategy: strategyId,
      symbol: instrument.symbol,
      side,
      type,
      quantity: steps === undefined ? `${quoteQuantity?.toFixed()} ${instrument.quote}` : instrument.step.toText(steps),
      ...(priceTicks === undefined ? {} : { price: instrument.tick.toText(priceTicks) }),
    };
  }

  #filled({ time, clientOrderId, fill }: OrderFilled): void {
    const { strategyId: strategy, symbol, side, instrument, steps, priceTicks, fee, feeAsset } = fill;
    const [quantity, price] = [instrument.step.toText(steps), instrument.tick.toText(priceTicks)];
    const shown = { time, clientOrderId, strategy, symbol, side, quantity, price, fee: `${fee.toFixed()} ${feeAsset}` };
    this.#fills = [shown, ...this.#fills].slice(0, FILLS_KEPT);
  }

  #refused({ time, reason: { code } }: OrderDenied): void {
    const minute = Math.floor(time / MINUTE_MS);
    for (const old of this.#denied.keys()) if (old <= minute - HOUR_MINUTES) this.#denied.delete(old);
    const codes = this.#denied.get(minute) ?? new Map<string, number>();
    this.#denied.set(minute, codes.set(code, (codes.get(code) ?? 0) + 1));
    this.#streak ??= { count: 0, since: time, codes: new Map() };
    this.#streak.count++;
    this.#streak.codes.set(code, (this.#streak.codes.get(code) ?? 0) + 1);
  }
}
