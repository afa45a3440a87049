import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { type SpotFillRecord, spotFillFigures } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Difference, Outlets, RestSettings } from '../trading.ts';
import { type SpotWallet, Transfers } from './spot-wallet.ts';

type Assets = PayloadOf<'accountAssets'>;

interface BalanceParts {
  readonly client: Pick<ExchangeClient, 'transferRecords' | 'serverTime'>;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly wallet: SpotWallet;
  readonly instruments: readonly Instrument[];
}

/** What halts are made of, over restarts. */
const MEMORY = 'spot.halts';

interface HaltCauses {
  /** Assets that others bind. */
  readonly reserved: readonly string[];
  /** Amounts that no record explains, by asset. */
  readonly unexplained: readonly (readonly [asset: string, amount: string])[];
  /** Reservations beyond ours, and since when: a restart begins to wait anew for none of them. */
  readonly gaps?: readonly (readonly [asset: string, gap: string, since: number])[] | undefined;
}

const NO_CAUSES: HaltCauses = { reserved: [], unexplained: [] };

/**
 * Compares the exchange's balances with those that our records explain. Only a difference that stays the same while no order
 * is under way counts: then transfers explain it, or nothing does.
 */
export class BalanceCheck {
  readonly #assets: readonly string[];
  readonly #transfers: Transfers;
  /** Reservations beyond ours, as they were last seen, and since when they stand. */
  readonly #gaps = new Map<string, { readonly gap: Decimal; readonly since: number }>();
  /** Differences that stand, and since when. */
  readonly #standing = new Map<string, { readonly amount: Decimal; readonly since: number }>();
  /** Assets of which others have reserved something for so long that it can be no order of ours that is only late. */
  readonly #reserved: Set<string>;
  /** What no record explains and nobody has accepted, by asset: it stops trading until it is gone, or a reset. */
  readonly #unexplained: Map<string, string>;

  constructor(private readonly parts: BalanceParts) {
    this.#assets = [...new Set(parts.instruments.flatMap(({ base, quote }) => [base, quote]))].sort();
    this.#transfers = new Transfers(parts.client, parts.outlets);
    const { reserved, unexplained, gaps = [] } = (parts.outlets.memory.recall(MEMORY) as HaltCauses | undefined) ?? NO_CAUSES;
    for (const [asset, gap, since] of gaps) this.#gaps.set(asset, { gap: new Decimal(gap), since });
    this.#reserved = new Set(reserved);
    this.#unexplained = new Map(unexplained);
  }

  /** Why a balance stops trading, if one does. */
  get halted(): string | undefined {
    if (this.parts.settings.unexplained !== 'halt') return undefined;
    const [first] = this.#unexplained;
    return first === undefined ? undefined : unexplainedText(...first);
  }

  /** The very first start: what is there is where everything begins. @throws TidegateError START_REFUSED. */
  baseline(assets: Assets): void {
    const { wallet, settings } = this.parts;
    for (const asset of this.#assets) {
      const { total, frozen } = figuresOf(assets, asset);
      if (!frozen.isZero() && settings.foreign === 'block') {
        throw new TidegateError(
          'START_REFUSED',
          `${frozen.toFixed()} ${asset} of the spot wallet is reserved by orders that no journal of this bot knows: cancel them, or set live.foreign to ignore or adopt`,
        );
      }
      wallet.post(asset, total, 'deposit');
      this.#gaps.set(asset, { gap: frozen, since: this.parts.outlets.clock.now() });
    }
    this.#transfers.from(this.parts.outlets.clock.now());
  }

  /** Assets whose reservations differ from ours otherwise than when we last looked. */
  gaps(assets: Assets): string[] {
    const now = this.parts.outlets.clock.now();
    return this.#assets.filter((asset) => {
      const gap = figuresOf(assets, asset).frozen.minus(this.parts.wallet.frozen(asset));
      const before = this.#gaps.get(asset);
      if (before?.gap.equals(gap) === true) return false;
      this.#gaps.set(asset, { gap, since: now });
      // Only there does it matter how long one lasts.
      if (this.parts.settings.foreign === 'block') this.#remember();
      return !gap.isZero();
    });
  }

  /**
   * More is bound than by our orders, and not for long enough to say by whom. One look does not decide: it may show balances from
   * before our last order ended. So balances are read again until a later look has confirmed the difference or removed it.
   */
  get open(): boolean {
    return [...this.#gaps].some(([asset, { gap }]) => gap.greaterThan(0) && !this.#reserved.has(asset));
  }

  /** A balance differs, and not for long enough to say why. */
  get waits(): boolean {
    return this.#standing.size > 0;
  }

  /** Bound for longer than this, in ms, it is by orders of others: any reply is newer than the first that showed it. */
  get #foreignMs(): number {
    const { calmMs, visibilityLagMs } = this.parts.settings;
    return Math.max(2 * calmMs, visibilityLagMs);
  }

  /** An asset that orders of others bind, if any. */
  get reserved(): string | undefined {
    return this.#assets.find((asset) => this.#reserved.has(asset));
  }

  /** What others bind, as it was seen last; to be asked while no order of ours is on its way. */
  judgeReservations(): void {
    const { outlets, settings } = this.parts;
    const now = outlets.clock.now();
    for (const [asset, { gap, since }] of this.#gaps) {
      if (gap.greaterThan(0) && now - since > this.#foreignMs) this.#note(() => this.#reserved.add(asset), !this.#reserved.has(asset));
      else if (!gap.greaterThan(0) && now - since >= settings.visibilityLagMs)
        this.#note(() => this.#reserved.delete(asset), this.#reserved.has(asset));
    }
  }

  /** A person has said that trading may go on: balances are taken as they are, and what others bind counts from now. */
  lift(): void {
    const { outlets, wallet } = this.parts;
    for (const [asset, amount] of this.#unexplained) wallet.post(asset, new Decimal(amount), 'unexplained');
    for (const [asset, { gap }] of this.#gaps) this.#gaps.set(asset, { gap, since: outlets.clock.now() });
    this.#unexplained.clear();
    this.#reserved.clear();
    this.#standing.clear();
    this.#remember();
  }

  /**
   * @param calm nothing moves: a difference may count.
   * @param fillsReadAt epoch ms when fills were asked for last: what was seen moved long before that is in no fill.
   * @returns what was explained or accepted.
   */
  async compare(assets: Assets, calm: boolean, fillsReadAt: number): Promise<Difference[]> {
    const { client, outlets, settings, wallet } = this.parts;
    if (!calm) {
      this.#standing.clear();
      return [];
    }
    const now = outlets.clock.now();
    const found: Difference[] = [];
    let differs = false;
    for (const asset of this.#assets) {
      const amount = figuresOf(assets, asset).total.minus(wallet.total(asset));
      const standing = this.#standing.get(asset);
      if (!amount.isZero()) differs = true;
      // Said, and not accepted: it is no news as long as it is the same.
      if (amount.toFixed() === this.#unexplained.get(asset)) continue;
      if (amount.isZero()) {
        this.#standing.delete(asset);
        this.#note(() => this.#unexplained.delete(asset), this.#unexplained.has(asset));
      } else if (standing === undefined || !standing.amount.equals(amount)) this.#standing.set(asset, { amount, since: now });
      else if (fillsReadAt - standing.since >= settings.visibilityLagMs) found.push(...(await this.#explain(asset, amount)));
    }
    if (!differs) this.#transfers.balancedAt(client.serverTime() - (now - fillsReadAt));
    return found;
  }

  async #explain(asset: string, amount: Decimal): Promise<Difference[]> {
    const { wallet, settings, outlets } = this.parts;
    const before = wallet.total(asset);
    const found: Difference[] = [];
    let left = amount;
    const { transfers, keep } = await this.#transfers.news(asset, amount.greaterThan(0));
    keep();
    for (const transfer of transfers) {
      wallet.post(asset, transfer.amount, 'transfer');
      left = left.minus(transfer.amount);
      found.push(differenceOf(asset, before, transfer.amount, `transfer from ${transfer.from} to ${transfer.to}`));
    }
    this.#standing.delete(asset);
    if (!left.isZero()) {
      found.push(differenceOf(asset, before, left, 'unexplained'));
      outlets.log.warn(unexplainedText(asset, left.toFixed()), { asset, amount: left.toFixed() });
      if (settings.unexplained === 'accept') wallet.post(asset, left, 'unexplained');
      else this.#note(() => this.#unexplained.set(asset, left.toFixed()), true);
    } else this.#note(() => this.#unexplained.delete(asset), this.#unexplained.has(asset));
    // What is remembered and what is told become durable together.
    outlets.settled();
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
    this.parts.outlets.memory.remember(MEMORY, causes);
  }
}

function unexplainedText(asset: string, amount: string): string {
  return `${amount} ${asset} that no record explains`;
}

function figuresOf(assets: Assets, asset: string): { total: Decimal; frozen: Decimal } {
  const record = assets.find(({ coinName }) => coinName.toUpperCase() === asset);
  if (record === undefined) return { total: ZERO, frozen: ZERO };
  const frozen = new Decimal(record.frozen);
  return { total: new Decimal(record.available).plus(frozen), frozen };
}

function differenceOf(asset: string, before: Decimal, amount: Decimal, cause: string): Difference {
  return { what: 'balance', subject: asset, journal: before.toFixed(), exchange: before.plus(amount).toFixed(), cause };
}

/** Where the venue's memory keeps which symbols others trade. */
const STRANGERS = 'spot.strangers';

/** Orders on the account that this bot did not place, as fills and reservations show them. */
export class Strangers {
  readonly #orderIds = new Set<string>();
  /** Symbols that they trade, over restarts. */
  #symbols: readonly string[];

  constructor(private readonly outlets: Outlets) {
    this.#symbols = (outlets.memory.recall(STRANGERS) as readonly string[] | undefined) ?? [];
  }

  isForeign(orderId: string): boolean {
    return this.#orderIds.has(orderId);
  }

  /** Whether orders that are not ours trade this instrument. */
  trade({ symbol }: Instrument): boolean {
    return this.#symbols.includes(symbol);
  }

  /** A person has said that trading may go on: they count from their next trade. */
  lift(): void {
    this.#remember([]);
  }

  /** An order was looked up and is not known. @param own its client id is of this bot's making: its journal is gone. */
  met(orderId: string, clientOrderId: string, own: boolean): void {
    this.#orderIds.add(orderId);
    const whose = own ? 'has an id of this bot that the journal does not know' : 'is not ours';
    this.outlets.log.warn(`order ${orderId} ${whose}`, { orderId, clientOrderId });
  }

  /** Its fills move the wallet all the same: the baseline, never a strategy's position. */
  settle(record: SpotFillRecord, instrument: Instrument, wallet: SpotWallet): void {
    const figures = spotFillFigures(record);
    if (figures === undefined) return;
    if (!this.trade(instrument)) this.#remember([...this.#symbols, instrument.symbol]);
    const { side, quantity, notional, fee } = figures;
    const { base, quote } = instrument;
    wallet.post(base, side === 'buy' ? quantity : quantity.negated(), 'foreign', record.fillId);
    wallet.post(quote, side === 'buy' ? notional.negated() : notional, 'foreign', record.fillId);
    wallet.post(side === 'buy' ? base : quote, fee.negated(), 'foreign', record.fillId);
  }

  #remember(symbols: readonly string[]): void {
    this.#symbols = symbols;
    this.outlets.memory.remember(STRANGERS, symbols);
  }
}
