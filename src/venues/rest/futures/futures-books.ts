import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import type { VenueContext } from '../../reconcile/settings.ts';
import type { ForcedOrders } from './attribution/fill-reporter.ts';
import type { OpenersSought } from './attribution/hidden-openers.ts';
import type { RecentlyEnded } from './attribution/listed-states.ts';
import { TradePools } from './attribution/trade-pools.ts';
import type { FuturesWallet } from './futures-wallet.ts';
import { type AccountSnapshot, snapshotFrom, snapshotText, walletOf } from './snapshot/account-snapshot.ts';
import type { HiddenOpening, SnapshotChange } from './snapshot/side-change.ts';
import { changeBetween } from './snapshot/snapshot-change.ts';

const MEMORY = 'futures.picture';

/** The contents of the venue's memory. Its keys are persisted: journals of earlier versions contain them. */
interface Kept {
  readonly pictures: readonly unknown[];
  readonly pools: unknown;
  readonly margins: readonly (readonly [side: string, margin: string])[];
  readonly forced: unknown;
  readonly lately: unknown;
  /** Epoch ms at which the snapshot of each coin was requested. */
  readonly askedAt: readonly (readonly [coin: string, askedAt: number])[];
}

export interface BooksParts {
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly context: VenueContext;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  readonly recentlyEnded: RecentlyEnded;
  readonly find: (clientOrderId: string) => TrackedOrder | undefined;
  readonly lagMs: number;
  readonly openersOf: (sought: Omit<OpenersSought, 'orders' | 'listedStates'>) => readonly HiddenOpening[];
  /** Reports money that nothing at the exchange explains. */
  readonly unexplained: (coin: string, amount: Decimal) => void;
}

/**
 * The last snapshot of each coin, and the trades in it that have not been reported yet. Both are persisted together with
 * the events derived from them, so that a resumed run neither loses nor repeats one.
 */
export class FuturesBooks {
  readonly #snapshots = new Map<string, AccountSnapshot>();
  readonly #margins = new Map<string, Decimal>();
  /** Epoch ms since when something is hidden between the snapshots of a coin. */
  readonly #hiddenSince = new Map<string, number>();
  /** Epoch ms of the request of each coin's snapshot, or of a later one that was equal. */
  readonly #requestedAt = new Map<string, number>();
  pools = new TradePools();

  constructor(private readonly parts: BooksParts) {}

  get snapshots(): readonly AccountSnapshot[] {
    return [...this.#snapshots.values()];
  }

  snapshot(coin: string): AccountSnapshot | undefined {
    return this.#snapshots.get(coin);
  }

  /** Steps of a side in the newest snapshot. */
  held(symbol: string, positionSide: 'long' | 'short'): number {
    return this.snapshots.reduce(
      (sum, { positions }) =>
        positions.reduce((all, one) => (one.symbol === symbol && one.positionSide === positionSide ? all + one.steps : all), sum),
      0,
    );
  }

  /** A trade has been seen and not reported. */
  get waits(): boolean {
    return this.pools.size > 0 || this.isHidden;
  }

  /** Something happened between two snapshots that neither of them shows. */
  get isHidden(): boolean {
    return this.#hiddenSince.size > 0;
  }

  hides(coin: string): boolean {
    return this.#hiddenSince.has(coin);
  }

  /** Epoch ms: trades not reported yet, and all future ones, happened after that. */
  get since(): number {
    return Math.min(...this.pools.all.map(({ since }) => since), ...[...this.#snapshots.keys()].map((coin) => this.#sinceOf(coin)));
  }

  /** @returns false if the memory is empty. */
  resume(): boolean {
    const kept = this.parts.context.memory.recall(MEMORY) as Kept | undefined;
    if (kept === undefined) return false;
    for (const plain of kept.pictures) {
      const snapshot = snapshotFrom(plain);
      this.#snapshots.set(snapshot.coin, snapshot);
    }
    this.pools = TradePools.from(kept.pools);
    for (const [side, margin] of kept.margins) this.#margins.set(side, new Decimal(margin));
    for (const [coin, requestedAt] of kept.askedAt) this.#requestedAt.set(coin, requestedAt);
    this.parts.forced.resume(kept.forced);
    this.parts.recentlyEnded.resume(kept.lately, this.parts.find);
    return true;
  }

  /** Called in the same step as the report of the events. */
  remember(): void {
    const kept: Kept = {
      pictures: this.snapshots.map(snapshotText),
      pools: this.pools.toJson(),
      margins: [...this.#margins].map(([side, margin]) => [side, margin.toFixed()]),
      forced: this.parts.forced.toJson(),
      lately: this.parts.recentlyEnded.toJson(),
      askedAt: [...this.#requestedAt],
    };
    this.parts.context.memory.remember(MEMORY, kept);
  }

  /** The very first snapshot is the baseline. Its positions belong to no strategy. */
  baseline(snapshot: AccountSnapshot): void {
    const { context, wallet, instruments } = this.parts;
    this.#snapshots.set(snapshot.coin, snapshot);
    wallet.post(snapshot.coin, walletOf(snapshot), 'deposit');
    for (const { symbol, positionSide, steps, openValue: notional, orderId } of snapshot.positions) {
      const instrument = instruments.get(symbol);
      if (instrument === undefined || steps === 0) continue;
      context.report({
        kind: 'positionFound',
        time: context.clock.now(),
        instrument,
        positionSide,
        action: 'opened',
        steps,
        notional,
        orderId,
      });
    }
    this.reportMargins(snapshot);
  }

  /**
   * Handles a newer snapshot: reports changes that no order made, and keeps trades until their orders are found.
   * @param requestedAt epoch ms of its request.
   */
  take(now: AccountSnapshot, requestedAt: number): void {
    const { coin } = now;
    const before = this.#snapshots.get(coin) ?? { coin, version: '', positions: [], collaterals: [] };
    const time = this.parts.context.clock.now();
    const since = this.#hiddenSince.get(coin) ?? time;
    const last = time - since > 2 * this.parts.lagMs;
    const { pools } = this;
    const ended = this.parts.recentlyEnded.endedSince(this.#sinceOf(coin));
    const change = changeBetween(before, now, this.parts.instruments, (unseen) =>
      this.parts.openersOf({ ...unseen, coin, ended, pools, last }),
    );
    if (change.hidden && !last) {
      this.#hiddenSince.set(coin, since);
      return;
    }
    this.#hiddenSince.delete(coin);
    this.#snapshots.set(coin, change.base);
    this.#reportChange(coin, change, this.#sinceOf(coin), time);
    this.#requestedAt.set(coin, requestedAt);
  }

  /** A snapshot requested at that time is equal to the last one. */
  same(coin: string, requestedAt: number): void {
    this.#requestedAt.set(coin, requestedAt);
  }

  /** Reports isolated margins that have changed since the last report. */
  reportMargins({ positions }: AccountSnapshot): void {
    const { context, instruments } = this.parts;
    for (const instrument of instruments.values()) {
      for (const positionSide of ['long', 'short'] as const) {
        const mine = positions.filter(
          (one) => one.isolated && one.positionSide === positionSide && instruments.get(one.symbol) === instrument,
        );
        const margin = mine.reduce((sum, one) => sum.plus(one.margin), ZERO);
        const key = `${instrument.symbol} ${positionSide}`;
        if (margin.equals(this.#margins.get(key) ?? ZERO)) continue;
        this.#margins.set(key, margin);
        const separated = mine.filter(({ orderId }) => orderId !== '');
        const parts = separated.length > 0 ? { parts: new Map(separated.map((one) => [one.orderId, one.margin])) } : {};
        context.report({ kind: 'marginChanged', time: context.clock.now(), instrument, positionSide, margin, ...parts });
      }
    }
  }

  /** Epoch ms of the request of the last snapshot handled. */
  #sinceOf(coin: string): number {
    return this.#requestedAt.get(coin) ?? Number.NEGATIVE_INFINITY;
  }

  #reportChange(coin: string, { sides, external, rest }: SnapshotChange, from: number, time: number): void {
    const { context, wallet, instruments, unexplained } = this.parts;
    for (const { reason, amount } of external) wallet.post(coin, amount, reason);
    for (const side of sides) {
      const instrument = instruments.get(side.symbol);
      const { positionSide, heldBefore: steps, funding: amount } = side;
      if (!amount.isZero() && instrument !== undefined) {
        // The exchange sends neither rate nor mark, only the amount.
        context.report({ kind: 'fundingCharged', time, instrument, positionSide, steps, rate: ZERO, markPrice: ZERO, amount });
      }
      wallet.post(coin, amount, 'funding');
      if (instrument !== undefined) this.pools.add(side, from, time, instrument);
      if (instrument === undefined || side.opened.steps === 0)
        this.#postUnreported(coin, side.opened.fee, instrument === undefined ? side : undefined);
      if (instrument !== undefined && side.closed.steps === 0)
        this.#postUnreported(coin, side.closed.fee.plus(side.liquidationFee), undefined);
    }
    if (!rest.isZero()) {
      wallet.post(coin, rest, 'unexplained');
      unexplained(coin, rest);
    }
  }

  /** Books money of contracts that the run does not trade, and fees without a trade. */
  #postUnreported(coin: string, fee: Decimal, foreign: SnapshotChange['sides'][number] | undefined): void {
    const { wallet } = this.parts;
    wallet.post(coin, fee.negated(), 'fee');
    if (foreign === undefined) return;
    const { positionSide, closed, cost, liquidationFee } = foreign;
    wallet.post(coin, positionSide === 'long' ? closed.value.minus(cost) : cost.minus(closed.value), 'profit');
    wallet.post(coin, closed.fee.negated(), 'fee');
    wallet.post(coin, liquidationFee.negated(), 'liquidationFee');
  }
}
