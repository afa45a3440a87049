import { concat, distinctUntilChanged, EMPTY, filter, map, merge, type Observable, of, startWith, switchMap, take } from 'rxjs';
import { type AccountEvent, cancel, type Intent, type MarketEvent, place, Strategy, z } from 'tidegate';

const BASIS_POINT = 1e-4;

const Params = z
  .object({
    quantity: z.number().positive().default(0.02).describe('base units bid for, and offered'),
    spreadBps: z.number().positive().default(5).describe('distance of each quote from the last price, in basis points'),
    skewBps: z.number().nonnegative().default(4).describe('how far both quotes move: down if all is in base, up if all is in quote'),
    requoteBps: z.number().positive().default(4).describe('move of the last price after which both quotes are renewed'),
  })
  .refine(({ spreadBps, skewBps }) => skewBps < spreadBps, 'skewBps must be below spreadBps, or a quote would cross the price');

/**
 * Keeps a bid and an offer around the last price, post-only, and moves both according to what it holds: with much
 * base, it bids lower and offers cheaper. It is written as one stream instead of hooks: rxjs decides when to quote,
 * and `switchMap` drops waiting quotes when a newer price arrives.
 *
 * An example, and no promise of profit: it earns the spread while prices swing, and loses in trends. A ticker does not
 * show the queue at a price, so the fills are better than real ones.
 */
export class MarketMaker extends Strategy<typeof Params> {
  static params = Params;
  static needs = { tickers: true };

  intents$(market$: Observable<MarketEvent>, account$: Observable<AccountEvent>) {
    return merge(...this.symbols.map((symbol) => this.quoting$(symbol, market$, account$)));
  }

  quoting$(symbol: string, market$: Observable<MarketEvent>, account$: Observable<AccountEvent>) {
    const price$ = market$.pipe(
      filter((event) => event.kind === 'ticker'),
      filter((ticker) => ticker.symbol === symbol),
      map(({ last }) => last),
    );
    const filled$ = account$.pipe(
      filter((event) => event.kind === 'orderFilled'),
      filter(({ fill }) => fill.symbol === symbol),
    );
    // The first price after a fill, and then each price that is far enough from the quoted one.
    const isNear = (quoted: number, price: number) => Math.abs(price / quoted - 1) < this.params.requoteBps * BASIS_POINT;
    const due$ = filled$.pipe(
      startWith('the beginning'),
      switchMap(() => price$.pipe(distinctUntilChanged(isNear))),
    );
    return due$.pipe(switchMap((price) => this.requote$(symbol, price, account$)));
  }

  /** Cancels first: the new quotes are sent once the old ones have ended and cannot fill any more. */
  requote$(symbol: string, price: number, account$: Observable<AccountEvent>) {
    const isClear = () => this.orders(symbol).length === 0;
    const quotes$ = account$.pipe(
      startWith('now'),
      filter(isClear),
      take(1),
      map(() => this.quotes(symbol, price)),
    );
    return concat(isClear() ? EMPTY : of(cancel({ symbol })), quotes$);
  }

  /** A bid and an offer, or only one if the account cannot pay for the other. */
  quotes(symbol: string, price: number): Intent[] {
    const { quantity, spreadBps, skewBps } = this.params;
    const { base, quote } = this.instrument(symbol);
    const inBase = this.account.balance(base).total * price;
    const inQuote = this.account.balance(quote).total;
    // From -1, all in quote, to 1, all in base.
    const lean = (inBase - inQuote) / (inBase + inQuote);
    const bid = price * (1 - (spreadBps + skewBps * lean) * BASIS_POINT);
    const offer = price * (1 + (spreadBps - skewBps * lean) * BASIS_POINT);
    const order = { symbol, type: 'limit', quantity, postOnly: true } as const;
    const quotes: Intent[] = [];
    if (inQuote >= quantity * bid) quotes.push(place({ ...order, side: 'buy', price: bid, tag: 'bid' }));
    if (inBase >= quantity * price) quotes.push(place({ ...order, side: 'sell', price: offer, tag: 'offer' }));
    return quotes;
  }
}
