import type { Instrument } from '../../../model/instrument.ts';
import type { TrackedOrders } from '../tracked-orders.ts';
import type { Sights } from './attribution/sights.ts';
import type { ExpectedContract } from './expected-settings.ts';
import type { FuturesBooks } from './futures-books.ts';
import type { FuturesWallet } from './futures-wallet.ts';
import type { AccountPicture } from './picture/account-picture.ts';
import { boundMargin } from './picture/bound-margin.ts';
import type { Triggers } from './triggers.ts';

export interface BindingParts {
  readonly orders: TrackedOrders;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly books: FuturesBooks;
  readonly wallet: FuturesWallet;
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly expected: readonly ExpectedContract[] | undefined;
}

/** Tells what positions and working orders bind of the futures wallet. */
export class MarginBinding {
  constructor(private readonly parts: BindingParts) {}

  bind(coin: string, picture: AccountPicture): void {
    const { orders, sights, triggers, books, wallet, expected, instruments } = this.parts;
    books.tellMargins(picture);
    const fired = orders.alive.filter(
      (order) =>
        order.phase === 'open' &&
        triggers.has(order) &&
        // Of an adopted order the lists alone say whether it still waits for its trigger.
        sights.of(order).status !== 'untriggered' &&
        order.request.instrument.quote === coin,
    );
    const bound = boundMargin(picture, fired, ({ request }) => {
      const margin = expected?.find(({ instrument }) => instrument === request.instrument)?.margin;
      if (margin !== undefined) return request.positionSide === 'long' ? margin.longLeverage : margin.shortLeverage;
      return picture.positions.find(
        (one) => instruments.get(one.symbol) === request.instrument && one.positionSide === request.positionSide,
      )?.leverage;
    });
    wallet.freeze(coin, bound);
  }
}
