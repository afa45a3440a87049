import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Outlets } from '../outlets.ts';
import type { RestSettings } from '../settings.ts';
import type { Difference } from '../trading.ts';
import type { SpotWallet } from './spot-wallet.ts';
import { Transfers } from './transfers.ts';

type Assets = PayloadOf<'accountAssets'>;

export interface BalanceParts {
  readonly client: Pick<ExchangeClient, 'transferRecords'>;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly wallet: SpotWallet;
  readonly instruments: readonly Instrument[];
}

/**
 * Lays the exchange's balances beside what our records explain. Only a difference that stands still in calm counts: then
 * transfers explain it, or nothing does.
 */
export class BalanceCheck {
  readonly #assets: readonly string[];
  readonly #transfers: Transfers;
  /** Reservations beyond ours, as they were last seen. */
  readonly #gaps = new Map<string, string>();
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
          `${frozen.toFixed()} ${asset} of the spot wallet is reserved by orders that no journal of this bot knows: cancel them, or set live.foreign to ignore`,
        );
      }
      wallet.post(asset, total, 'deposit');
      this.#gaps.set(asset, frozen.toFixed());
    }
    this.#transfers.from(this.parts.outlets.clock.now());
  }

  /** Assets whose reservations differ from ours otherwise than when we last looked. */
  gaps(assets: Assets): string[] {
    return this.#assets.filter((asset) => {
      const gap = figuresOf(assets, asset).frozen.minus(this.parts.wallet.frozen(asset)).toFixed();
      const before = this.#gaps.get(asset) ?? '0';
      this.#gaps.set(asset, gap);
      return gap !== '0' && gap !== before;
    });
  }

  /** Whether anything is reserved that is not ours, calm as it is. */
  get foreignReservations(): string | undefined {
    return this.#assets.find((asset) => (this.#gaps.get(asset) ?? '0') !== '0');
  }

  /** @param calm nothing moves: a difference may count. @returns what was explained or accepted. */
  async compare(assets: Assets, calm: boolean): Promise<Difference[]> {
    const { outlets, settings, wallet } = this.parts;
    if (!calm) {
      this.#standing.clear();
      return [];
    }
    const now = outlets.clock.now();
    const found: Difference[] = [];
    for (const asset of this.#assets) {
      const amount = figuresOf(assets, asset).total.minus(wallet.total(asset));
      const standing = this.#standing.get(asset);
      if (amount.isZero()) this.#standing.delete(asset);
      else if (standing === undefined || !standing.amount.equals(amount)) this.#standing.set(asset, { amount, since: now });
      else if (now - standing.since >= settings.visibilityLagMs) found.push(...(await this.#explain(asset, amount)));
    }
    return found;
  }

  async #explain(asset: string, amount: Decimal): Promise<Difference[]> {
    const { wallet, settings, outlets } = this.parts;
    const before = wallet.total(asset);
    const found: Difference[] = [];
    let left = amount;
    for (const transfer of await this.#transfers.news(asset)) {
      wallet.post(asset, transfer.amount, 'transfer');
      left = left.minus(transfer.amount);
      found.push(differenceOf(asset, before, transfer.amount, `transfer from ${transfer.from} to ${transfer.to}`));
    }
    this.#standing.delete(asset);
    if (left.isZero()) return found;
    found.push(differenceOf(asset, before, left, 'unexplained'));
    outlets.log.warn(`${left.toFixed()} ${asset} that no record explains`, { asset, amount: left.toFixed() });
    if (settings.unexplained === 'accept') wallet.post(asset, left, 'unexplained');
    else this.halted ??= `${left.toFixed()} ${asset} that no record explains`;
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
