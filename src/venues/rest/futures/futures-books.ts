import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import type { Outlets } from '../trading.ts';
import type { ForcedOrders } from './attribution/fill-telling.ts';
import type { OpenersSought } from './attribution/hidden-openers.ts';
import { Pools } from './attribution/pools.ts';
import type { Lately } from './attribution/sights.ts';
import type { FuturesWallet } from './futures-wallet.ts';
import { type AccountPicture, pictureFrom, pictureText, walletOf } from './picture/account-picture.ts';
import { changeBetween } from './picture/picture-change.ts';
import type { HiddenOpening, PictureChange } from './picture/side-change.ts';

const MEMORY = 'futures.picture';

interface Kept {
  readonly pictures: readonly unknown[];
  readonly pools: unknown;
  readonly margins: readonly (readonly [side: string, margin: string])[];
  readonly forced: unknown;
  readonly lately: unknown;
  /** Epoch ms at which the picture of each coin was asked for. */
  readonly askedAt: readonly (readonly [coin: string, askedAt: number])[];
}

export interface BooksParts {
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly outlets: Outlets;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  readonly lately: Lately;
  readonly find: (clientOrderId: string) => TrackedOrder | undefined;
  readonly lagMs: number;
  readonly openersOf: (sought: Omit<OpenersSought, 'orders' | 'sights'>) => readonly HiddenOpening[];
  /** Money that nothing the exchange shows explains. */
  readonly unexplained: (coin: string, amount: Decimal) => void;
}

/**
 * The last picture of each coin that was taken in, and what of it has not been told yet. Both are remembered together with
 * what is told from them, so that a run that goes on neither loses nor repeats anything.
 */
export class FuturesBooks {
  readonly #pictures = new Map<string, AccountPicture>();
  readonly #margins = new Map<string, Decimal>();
  /** Epoch ms since when something is hidden between the pictures of a coin. */
  readonly #hiddenSince = new Map<string, number>();
  /** Epoch ms at which the picture of each coin was asked for, or a later one that was equal to it. */
  readonly #askedAt = new Map<string, number>();
  pools = new Pools();

  constructor(private readonly parts: BooksParts) {}

  get pictures(): readonly AccountPicture[] {
    return [...this.#pictures.values()];
  }

  picture(coin: string): AccountPicture | undefined {
    return this.#pictures.get(coin);
  }

  /** Steps of a side in the newest picture that was taken in. */
  held(symbol: string, positionSide: 'long' | 'short'): number {
    return this.pictures.reduce(
      (sum, { positions }) =>
        positions.reduce((all, one) => (one.symbol === symbol && one.positionSide === positionSide ? all + one.steps : all), sum),
      0,
    );
  }

  /** Something is seen and not told. */
  get waits(): boolean {
    return this.pools.size > 0 || this.#hiddenSince.size > 0;
  }

  hides(coin: string): boolean {
    return this.#hiddenSince.has(coin);
  }

  /** Epoch ms: what is not told yet, and all that is still to come, was traded after that. */
  get since(): number {
    return Math.min(...this.pools.all.map(({ since }) => since), ...[...this.#pictures.keys()].map((coin) => this.#sinceOf(coin)));
  }

  /** @returns false where nothing is remembered. */
  resume(): boolean {
    const kept = this.parts.outlets.memory.recall(MEMORY) as Kept | undefined;
    if (kept === undefined) return false;
    for (const plain of kept.pictures) {
      const picture = pictureFrom(plain);
      this.#pictures.set(picture.coin, picture);
    }
    this.pools = Pools.from(kept.pools);
    for (const [side, margin] of kept.margins) this.#margins.set(side, new Decimal(margin));
    for (const [coin, askedAt] of kept.askedAt) this.#askedAt.set(coin, askedAt);
    this.parts.forced.resume(kept.forced);
    this.parts.lately.resume(kept.lately, this.parts.find);
    return true;
  }

  /** To be called in the same breath as what was told. */
  remember(): void {
    const kept: Kept = {
      pictures: this.pictures.map(pictureText),
      pools: this.pools.toJson(),
      margins: [...this.#margins].map(([side, margin]) => [side, margin.toFixed()]),
      forced: this.parts.forced.toJson(),
      lately: this.parts.lately.toJson(),
      askedAt: [...this.#askedAt],
    };
    this.parts.outlets.memory.remember(MEMORY, kept);
  }

  /** The very first picture: what is there is where everything begins, and belongs to no strategy. */
  baseline(picture: AccountPicture): void {
    const { outlets, wallet, instruments } = this.parts;
    this.#pictures.set(picture.coin, picture);
    wallet.post(picture.coin, walletOf(picture), 'deposit');
    for (const { symbol, positionSide, steps, openValue: notional, orderId } of picture.positions) {
      const instrument = instruments.get(symbol);
      if (instrument === undefined || steps === 0) continue;
      outlets.tell({
        kind: 'positionFound',
        time: outlets.clock.now(),
        instrument,
        positionSide,
        action: 'opened',
        steps,
        notional,
        orderId,
      });
    }
    this.tellMargins(picture);
  }

  /**
   * Takes a newer picture in: what nobody's order moved is told, what was traded waits for its orders.
   * @param askedAt epoch ms at which it was asked for.
   */
  take(now: AccountPicture, askedAt: number): void {
    const { coin } = now;
    const before = this.#pictures.get(coin) ?? { coin, version: '', positions: [], collaterals: [] };
    const time = this.parts.outlets.clock.now();
    const since = this.#hiddenSince.get(coin) ?? time;
    const last = time - since > 2 * this.parts.lagMs;
    const { pools } = this;
    const ended = this.parts.lately.endedSince(this.#sinceOf(coin));
    const change = changeBetween(before, now, this.parts.instruments, (unseen) =>
      this.parts.openersOf({ ...unseen, coin, ended, pools, last }),
    );
    if (change.hidden && !last) {
      this.#hiddenSince.set(coin, since);
      return;
    }
    this.#hiddenSince.delete(coin);
    this.#pictures.set(coin, change.base);
    this.#tellChange(coin, change, this.#sinceOf(coin), time);
    this.#askedAt.set(coin, askedAt);
  }

  /** A picture asked for at that time shows nothing new. */
  same(coin: string, askedAt: number): void {
    this.#askedAt.set(coin, askedAt);
  }

  /** Isolated margins that are not what was told last. */
  tellMargins({ positions }: AccountPicture): void {
    const { outlets, instruments } = this.parts;
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
        outlets.tell({ kind: 'marginChanged', time: outlets.clock.now(), instrument, positionSide, margin, ...parts });
      }
    }
  }

  /** Epoch ms at which the last picture that was taken in was asked for. */
  #sinceOf(coin: string): number {
    return this.#askedAt.get(coin) ?? Number.NEGATIVE_INFINITY;
  }

  #tellChange(coin: string, { sides, external, rest }: PictureChange, from: number, time: number): void {
    const { outlets, wallet, instruments, unexplained } = this.parts;
    for (const { reason, amount } of external) wallet.post(coin, amount, reason);
    for (const side of sides) {
      const instrument = instruments.get(side.symbol);
      const { positionSide, heldBefore: steps, funding: amount } = side;
      if (!amount.isZero() && instrument !== undefined) {
        // Neither the rate nor the mark is told: what was charged is.
        outlets.tell({ kind: 'fundingCharged', time, instrument, positionSide, steps, rate: ZERO, markPrice: ZERO, amount });
      }
      wallet.post(coin, amount, 'funding');
      if (instrument !== undefined) this.pools.add(side, from, time, instrument);
      if (instrument === undefined || side.opened.steps === 0)
        this.#postUntold(coin, side.opened.fee, instrument === undefined ? side : undefined);
      if (instrument !== undefined && side.closed.steps === 0) this.#postUntold(coin, side.closed.fee.plus(side.liquidationFee), undefined);
    }
    if (!rest.isZero()) {
      wallet.post(coin, rest, 'unexplained');
      unexplained(coin, rest);
    }
  }

  /** Money of contracts that the run does not trade, and fees that came without steps. */
  #postUntold(coin: string, fee: Decimal, foreign: PictureChange['sides'][number] | undefined): void {
    const { wallet } = this.parts;
    wallet.post(coin, fee.negated(), 'fee');
    if (foreign === undefined) return;
    const { positionSide, closed, cost, liquidationFee } = foreign;
    wallet.post(coin, positionSide === 'long' ? closed.value.minus(cost) : cost.minus(closed.value), 'profit');
    wallet.post(coin, closed.fee.negated(), 'fee');
    wallet.post(coin, liquidationFee.negated(), 'liquidationFee');
  }
}
