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
  /** A balance that nothing explains has stopped trading. */
  halted: string | undefined;

  constructor(private readonly parts: BalanceParts) {
    this.#assets = [...new Set(parts.instruments.flatMap(({ base, quote }) => [base, quote]))].sort();
    this.#transfers = new Transfers(parts.client, parts.outlets);
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
      return !gap.isZero();
    });
  }

  /** An asset of which others have reserved something for so long that it can be no order of ours that is only late. */
  get foreignReservation(): string | undefined {
    const { outlets, settings } = this.parts;
    const old = outlets.clock.now() - 2 * settings.calmMs;
    return this.#assets.find((asset) => {
      const { gap, since } = this.#gaps.get(asset) ?? { gap: ZERO, since: 0 };
      return gap.greaterThan(0) && since < old;
    });
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
      if (amount.isZero()) this.#standing.delete(asset);
      else if (standing === undefined || !standing.amount.equals(amount)) this.#standing.set(asset, { amount, since: now });
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
      outlets.log.warn(`${left.toFixed()} ${asset} that no record explains`, { asset, amount: left.toFixed() });
      if (settings.unexplained === 'accept') wallet.post(asset, left, 'unexplained');
      else this.halted ??= `${left.toFixed()} ${asset} that no record explains`;
    }
    // What is remembered and what is told become durable together.
    outlets.settled();
    return found;
  }
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

/** Orders on the account that this bot did not place, as fills and reservations show them. */
export class Strangers {
  readonly #orderIds = new Set<string>();
  readonly #instruments = new Set<Instrument>();

  constructor(private readonly outlets: Outlets) {}

  isForeign(orderId: string): boolean {
    return this.#orderIds.has(orderId);
  }

  /** Whether orders that are not ours trade this instrument. */
  trade(instrument: Instrument): boolean {
    return this.#instruments.has(instrument);
  }

  /** An order was looked up and is not known. @param own its client id is of this bot's making: its journal is gone. */
  met(orderId: string, clientOrderId: string, own: boolean): void {
    this.#orderIds.add(orderId);
    const whose = own ? 'bears an id of this bot that the journal does not know' : 'is not ours';
    this.outlets.log.warn(`order ${orderId} ${whose}`, { orderId, clientOrderId });
  }

  /** Its fills move the wallet all the same: the baseline, never a strategy's position. */
  settle(record: SpotFillRecord, instrument: Instrument, wallet: SpotWallet): void {
    const figures = spotFillFigures(record);
    if (figures === undefined) return;
    this.#instruments.add(instrument);
    const { side, quantity, notional, fee } = figures;
    const { base, quote } = instrument;
    wallet.post(base, side === 'buy' ? quantity : quantity.negated(), 'foreign', record.fillId);
    wallet.post(quote, side === 'buy' ? notional.negated() : notional, 'foreign', record.fillId);
    wallet.post(side === 'buy' ? base : quote, fee.negated(), 'foreign', record.fillId);
  }
}
