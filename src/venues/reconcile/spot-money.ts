import { Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type Evidence, type Money, type MoneyRound, patienceMs } from './money.ts';
import type { TrackedOrder } from './order-record.ts';
import { type Asking, ask, type SeenBalance, type SeenFill } from './records.ts';
import type { Difference, ReconcileSettings, Resumed, VenueContext } from './settings.ts';
import { Transfers } from './transfers.ts';
import { bound, Wallet } from './wallet.ts';

interface SpotMoneyParts {
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly instruments: readonly Instrument[];
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** The account nets positions; see `Wallet`. */
  readonly isNetting?: boolean | undefined;
}

/** Key of the causes of halts in the venue's memory. */
const MEMORY = 'spot.halts';

interface HaltCauses {
  /** Assets that foreign orders freeze. */
  readonly reserved: readonly string[];
  /** Amounts that no record explains, by asset. */
  readonly unexplained: readonly (readonly [asset: string, amount: string])[];
  /** Frozen amounts beyond ours, and since when. Persisted, so that a restart does not restart the wait. */
  readonly gaps?: readonly (readonly [asset: string, gap: string, since: number])[] | undefined;
}

const NO_CAUSES: HaltCauses = { reserved: [], unexplained: [] };

/**
 * Compares the exchange's balances with those that our records explain. A difference counts only if it stays the same while no
 * order is active: then a transfer explains it, or nothing does.
 */
export class SpotMoney implements Money {
  readonly wallet: Wallet;
  readonly #assets: readonly string[];
  /** Reported buys minus reported sells and fees. */
  readonly #reported = new Map<Instrument, Decimal>();
  readonly #transfers: Transfers;
  /** Frozen amounts beyond ours at the last poll, and since when they have been the same. */
  readonly #gaps = new Map<string, { readonly gap: Decimal; readonly since: number }>();
  /** Differences that persist, and since when. */
  readonly #standing = new Map<string, { readonly amount: Decimal; readonly since: number; isAsked?: true }>();
  /** Assets of which something has been frozen for longer than an own order that is only late could explain. */
  readonly #reserved: Set<string>;
  /** Amounts that no record explains and no person has accepted, by asset. They halt trading until they are gone or reset. */
  readonly #unexplained: Map<string, string>;

  constructor(private readonly parts: SpotMoneyParts) {
    const { context } = parts;
    this.wallet = new Wallet(
      (event) => context.report(event),
      () => context.clock.now(),
      'spot',
      parts.isNetting,
    );
    this.#assets = [...new Set(parts.instruments.flatMap(({ base, quote }) => [base, quote]))].sort();
    this.#transfers = new Transfers(parts.context);
    const { reserved, unexplained, gaps = [] } = (parts.context.memory.recall(MEMORY) as HaltCauses | undefined) ?? NO_CAUSES;
    for (const [asset, gap, since] of gaps) this.#gaps.set(asset, { gap: new Decimal(gap), since });
    this.#reserved = new Set(reserved);
    this.#unexplained = new Map(unexplained);
  }

  /** The reason why a balance halts trading, if one does. */
  private get halted(): string | undefined {
    if (this.parts.settings.unexplained !== 'halt') return undefined;
    const [first] = this.#unexplained;
    return first === undefined ? undefined : unexplainedText(...first);
  }

  resume(resumed: Resumed): void {
    this.wallet.resume(resumed);
  }

  *begin(): Asking {
    const { settings, context } = this.parts;
    const balances = yield* ask({ ask: 'balances' });
    for (const asset of this.#assets) {
      const { total, frozen } = figuresOf(balances, asset);
      if (!frozen.isZero() && settings.foreign === 'block') {
        throw new TidegateError(
          'START_REFUSED',
          `${frozen.toFixed()} ${asset} of the spot wallet is frozen by orders that are in no journal of this bot: cancel them, or set live.foreign to ignore or adopt`,
        );
      }
      this.wallet.post(asset, total, 'deposit');
      this.#gaps.set(asset, { gap: frozen, since: context.clock.now() });
    }
    this.#transfers.from(context.clock.now());
  }

  settle(fill: Fill): void {
    this.wallet.settle(fill);
    const { instrument, side, steps, fee, feeAsset } = fill;
    const quantity = instrument.step.toDecimal(side === 'buy' ? steps : -steps);
    const net = feeAsset === instrument.base ? quantity.minus(fee) : quantity;
    this.#reported.set(instrument, (this.#reported.get(instrument) ?? ZERO).plus(net));
  }

  settleForeign(seen: SeenFill, instrument: Instrument): void {
    for (const [asset, amount] of changesOf(seen, instrument)) this.wallet.post(asset, amount, 'foreign', seen.fillId);
  }

  settleForced(seen: SeenFill, instrument: Instrument): void {
    this.settleForeign(seen, instrument);
  }

  *read({ orders, life, isIdle, isCalm, isStarting, fillsReadAt, pending }: MoneyRound): Asking<readonly Difference[]> {
    const balances = yield* ask({ ask: 'balances' });
    // A frozen amount differs from ours: an order has changed.
    for (const asset of this.gaps(balances)) {
      for (const order of orders.alive) {
        const { base, quote } = order.request.instrument;
        if (order.phase === 'open' && (base === asset || quote === asset)) life.lookIn(order, 0);
      }
    }
    if (isIdle()) this.judgeReservations();
    return yield* this.compare(balances, { calm: isCalm(), fillsReadAt, isStarting, pending });
  }

  *evidenceOf(order: TrackedOrder): Asking<Evidence> {
    return this.shows(order, yield* ask({ ask: 'balances' }));
  }

  /** Whether all that is known explains the totals of both coins of a pair. */
  *explains({ base, quote }: Instrument): Asking<boolean> {
    const balances = yield* ask({ ask: 'balances' });
    return [base, quote].every((asset) => figuresOf(balances, asset).total.equals(this.wallet.total(asset)));
  }

  freeze(orders: readonly TrackedOrder[]): void {
    this.wallet.freeze(orders);
  }

  /** Coins that strategies hold and the account lacks: it is unknown whose were sold. */
  foundAtStart({ positions }: Resumed, stick: (instrument: Instrument, reason: string) => void): readonly Difference[] {
    return this.parts.instruments.flatMap((instrument): Difference[] => {
      const { symbol, base, step } = instrument;
      const held = step.toDecimal(positions?.get(symbol) ?? 0).plus(this.#reported.get(instrument) ?? ZERO);
      const there = this.wallet.total(base);
      if (held.lessThanOrEqualTo(there)) return [];
      const journal = held.toFixed();
      stick(instrument, `strategies hold ${journal} ${base} by the journal, the account has ${there.toFixed()}`);
      return [{ what: 'position', subject: symbol, journal, exchange: there.toFixed(), cause: 'less than strategies hold' }];
    });
  }

  haltOf({ base, quote }: Instrument): string | undefined {
    const asset = this.parts.settings.foreign === 'block' ? this.reserved : undefined;
    if (asset === base || asset === quote) return `orders that are not ours have reserved ${asset}`;
    return this.halted;
  }

  /** Assets whose difference between the exchange's frozen amount and ours has changed since the last poll. */
  gaps(balances: readonly SeenBalance[]): string[] {
    const now = this.parts.context.clock.now();
    return this.#assets.filter((asset) => {
      const gap = figuresOf(balances, asset).frozen.minus(this.wallet.frozen(asset));
      const before = this.#gaps.get(asset);
      if (before?.gap.equals(gap) === true) return false;
      this.#gaps.set(asset, { gap, since: now });
      // Only this setting uses the duration of a gap.
      if (this.parts.settings.foreign === 'block') this.#remember();
      return !gap.isZero();
    });
  }

  /**
   * More is frozen than by our orders, and not for long enough to attribute it. One poll does not decide: it may show balances from
   * before our last order ended. So balances are polled again until a later poll confirms or removes the difference.
   */
  get open(): boolean {
    return [...this.#gaps].some(([asset, { gap }]) => gap.greaterThan(0) && !this.#reserved.has(asset));
  }

  /** A balance differs, and not for long enough to find the cause. */
  get waits(): boolean {
    return this.#standing.size > 0;
  }

  /** An amount frozen for longer than this, in ms, belongs to foreign orders: every reply is then newer than the first that showed it. */
  get #foreignMs(): number {
    const { calmMs, visibilityLagMs } = this.parts.settings;
    return Math.max(2 * calmMs, visibilityLagMs);
  }

  /** An asset that foreign orders freeze, if any. */
  get reserved(): string | undefined {
    return this.#assets.find((asset) => this.#reserved.has(asset));
  }

  /** Whether the balances show a fill of a confirmed order that no look-up finds, and whether they still reserve its amount. */
  shows(order: TrackedOrder, balances: readonly SeenBalance[]): Evidence {
    const { wallet } = this;
    const { base, step } = order.request.instrument;
    const explained = wallet.total(base).plus(this.#unexplained.get(base) ?? 0);
    const gained = figuresOf(balances, base).total.minus(explained);
    const filled = order.request.side === 'buy' ? gained : gained.negated();
    const [asset, amount] = bound(order);
    const frozen = figuresOf(balances, asset).frozen;
    const isKept = frozen.greaterThanOrEqualTo(wallet.frozen(asset));
    return {
      isFreed: frozen.lessThan(amount) || frozen.equals(wallet.frozen(asset).minus(amount)),
      mayHaveFilled: filled.greaterThanOrEqualTo(step.toDecimal(1)),
      reserved: amount.isZero() ? 'none' : isKept ? 'kept' : 'released',
    };
  }

  /** Judges the amounts that foreign orders freeze at the last poll. Called while no order of ours is on its way. */
  judgeReservations(): void {
    const { context, settings } = this.parts;
    const now = context.clock.now();
    for (const [asset, { gap, since }] of this.#gaps) {
      if (gap.greaterThan(0) && now - since > this.#foreignMs) this.#note(() => this.#reserved.add(asset), !this.#reserved.has(asset));
      else if (!gap.greaterThan(0) && now - since >= settings.visibilityLagMs)
        this.#note(() => this.#reserved.delete(asset), this.#reserved.has(asset));
    }
  }

  /** A person has allowed trading again: accepts the present balances. Amounts that foreign orders freeze count from now. */
  lift(): void {
    const { context } = this.parts;
    const { wallet } = this;
    for (const [asset, amount] of this.#unexplained) wallet.post(asset, new Decimal(amount), 'unexplained');
    for (const [asset, { gap }] of this.#gaps) this.#gaps.set(asset, { gap, since: context.clock.now() });
    this.#unexplained.clear();
    this.#reserved.clear();
    this.#standing.clear();
    this.#remember();
  }

  /**
   * @param calm no order is active: a difference may count.
   * @returns the differences that were explained or accepted.
   */
  *compare(
    balances: readonly SeenBalance[],
    { calm, fillsReadAt, isStarting, pending }: Pick<MoneyRound, 'fillsReadAt' | 'isStarting' | 'pending'> & { readonly calm: boolean },
  ): Asking<Difference[]> {
    const { exchangeTime, context, settings } = this.parts;
    const { wallet } = this;
    if (!calm) {
      this.#standing.clear();
      return [];
    }
    const now = context.clock.now();
    const found: Difference[] = [];
    let differs = false;
    for (const asset of this.#assets) {
      const amount = figuresOf(balances, asset).total.minus(wallet.total(asset)).minus(pendingOf(asset, pending));
      const standing = this.#standing.get(asset);
      if (!amount.isZero()) differs = true;
      // Reported and not accepted: as long as it is the same, it is no news.
      if (amount.toFixed() === this.#unexplained.get(asset)) continue;
      if (amount.isZero()) {
        this.#standing.delete(asset);
        this.#note(() => this.#unexplained.delete(asset), this.#unexplained.has(asset));
      } else if (standing === undefined || !standing.amount.equals(amount)) this.#standing.set(asset, { amount, since: now });
      else if (fillsReadAt - standing.since >= settings.visibilityLagMs) {
        const isLasting = fillsReadAt - standing.since >= patienceMs(settings, isStarting);
        if (isLasting || standing.isAsked === undefined) found.push(...(yield* this.#explain(asset, amount, isLasting)));
      }
    }
    if (!differs) this.#transfers.balancedAt(exchangeTime() - (now - fillsReadAt));
    return found;
  }

  /** @param isLasting what no transfer explains is unexplained; else it stands for some time. */
  *#explain(asset: string, amount: Decimal, isLasting: boolean): Asking<Difference[]> {
    const { settings, context } = this.parts;
    const { wallet } = this;
    const before = wallet.total(asset);
    const found: Difference[] = [];
    let left = amount;
    const { transfers, keep } = yield* this.#transfers.news(asset, amount.greaterThan(0));
    keep();
    for (const transfer of transfers) {
      wallet.post(asset, transfer.amount, 'transfer');
      left = left.minus(transfer.amount);
      found.push(differenceOf(asset, before, transfer.amount, `transfer from ${transfer.from} to ${transfer.to}`));
    }
    const standing = this.#standing.get(asset);
    if (!isLasting && standing !== undefined && left.equals(amount)) {
      standing.isAsked = true;
      context.log.warn(`${left.toFixed()} ${asset} of the spot wallet that no record explains so far`, { asset, amount: left.toFixed() });
      return [];
    }
    this.#standing.delete(asset);
    if (!left.isZero() && isLasting) {
      found.push(differenceOf(asset, before, left, 'unexplained'));
      context.log.warn(unexplainedText(asset, left.toFixed()), { asset, amount: left.toFixed() });
      if (settings.unexplained === 'accept') wallet.post(asset, left, 'unexplained');
      else this.#note(() => this.#unexplained.set(asset, left.toFixed()), true);
    } else this.#note(() => this.#unexplained.delete(asset), this.#unexplained.has(asset));
    // Memory and reported events become durable together.
    context.settled();
    return found;
  }

  #note(change: () => void, isNews: boolean): void {
    if (!isNews) return;
    change();
    this.#remember();
  }

  #remember(): void {
    const gaps = [...this.#gaps].map(([asset, { gap, since }]) => [asset, gap.toFixed(), since] as const);
    const causes: HaltCauses = { reserved: [...this.#reserved], unexplained: [...this.#unexplained], gaps };
    this.parts.context.memory.remember(MEMORY, causes);
  }
}

function unexplainedText(asset: string, amount: string): string {
  return `${amount} ${asset} that no record explains`;
}

function figuresOf(balances: readonly SeenBalance[], of: string): Pick<SeenBalance, 'total' | 'frozen'> {
  return balances.find(({ asset }) => asset === of) ?? { total: ZERO, frozen: ZERO };
}

/** The changes of balances by a fill. */
function changesOf({ side, quantity, notional, fee }: SeenFill, { base, quote }: Instrument): readonly (readonly [string, Decimal])[] {
  return [
    [base, side === 'buy' ? quantity : quantity.negated()],
    [quote, side === 'buy' ? notional.negated() : notional],
    [side === 'buy' ? base : quote, fee.negated()],
  ];
}

function pendingOf(asset: string, fills: MoneyRound['pending']): Decimal {
  const changes = fills.flatMap(([fill, instrument]) => changesOf(fill, instrument));
  return changes.reduce((sum, [of, amount]) => (of === asset ? sum.plus(amount) : sum), ZERO);
}

function differenceOf(asset: string, before: Decimal, amount: Decimal, cause: string): Difference {
  return { what: 'balance', subject: asset, journal: before.toFixed(), exchange: before.plus(amount).toFixed(), cause };
}
