import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { FuturesAccount } from '../../src/matching/futures/futures-account.ts';
import type { OrderRecord } from '../../src/matching/futures/records.ts';
import { MatchingEngine } from '../../src/matching/matching-engine.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Funding, Mark, type MarketEvent, Ticker } from '../../src/model/market-events.ts';
import { NOTHING_HELD } from '../../src/ports/execution-venue.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { fillSettings, order, T0 } from '../builders.ts';
import { INSTRUMENTS, type Local, PERP, startLocal } from './local.ts';

// Triggers, margin, funding and liquidation: the same story told to the matching room in process and to the exchange
// over HTTP comes to the same orders, positions and money.

const CONTRACT = INSTRUMENTS[2]!;
const MARGIN = {
  mode: 'shared',
  separated: false,
  longLeverage: new Decimal(10),
  shortLeverage: new Decimal(10),
  autoAppend: false,
} as const;
const FILLS = fillSettings({ limit: 'touch', halfSpreadTicks: 1 });
const SIDES = { '1': ['buy', 'long'], '2': ['sell', 'short'], '3': ['sell', 'long'], '4': ['buy', 'short'] } as const;

type Step =
  | { readonly kind: 'price' | 'mark'; readonly ticks: number }
  | { readonly kind: 'funding'; readonly rate: number }
  | {
      readonly kind: 'trigger';
      readonly type: '1' | '2' | '3' | '4';
      readonly size: number;
      readonly trigger: number;
      readonly limit: number | undefined;
    }
  | { readonly kind: 'cancel'; readonly which: number };

const ticks = fc.integer({ min: 850, max: 1_150 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('price' as const), ticks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const), ticks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('funding' as const), rate: fc.integer({ min: -50, max: 50 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('trigger' as const),
      type: fc.constantFrom('1' as const, '2' as const, '3' as const, '4' as const),
      size: fc.integer({ min: 1, max: 700 }),
      trigger: ticks,
      limit: fc.option(ticks, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(10) }) },
);

/** The matching room alone. */
class Twin {
  readonly account = new FuturesAccount(
    () => {},
    () => MARGIN,
  );
  readonly ended: OrderRecord[] = [];
  readonly matching = new MatchingEngine({
    instruments: INSTRUMENTS,
    onBars: false,
    settings: FILLS,
    held: NOTHING_HELD,
    pause: () => {},
    orderEnded: (_account, record) => this.ended.push(record),
  });

  constructor() {
    this.matching.addAccount(this.account);
    this.account.deposit(T0, 'futures', 'USDT', new Decimal(10_000));
  }

  tell(event: MarketEvent): void {
    if (event.kind === 'ticker') this.matching.onTicker(event);
    else if (event.kind === 'mark') this.matching.onMark(event);
    else if (event.kind === 'funding') this.matching.onFunding(event);
    this.settle(event.time);
  }

  settle(time: number): void {
    if (this.matching.marginDue) this.matching.liquidate(time);
  }

  /** `client id status filled profit`, newest last. */
  orders(): string[] {
    const all = [...this.ended, ...this.matching.orders(this.account)].sort((a, b) => Number(a.orderId) - Number(b.orderId));
    return all.map(
      (one) => `${one.clientOrderId} ${one.status} ${one.filledQuantity.toFixed()} ${one.profit.toFixed()} ${one.fee.toFixed()}`,
    );
  }
}

async function take(local: Local, twin: Twin, out: Subject<FeedItem>, one: Step, index: number): Promise<void> {
  const time = local.clock.now();
  const client = local.client();
  const tell = (event: MarketEvent) => {
    twin.tell(event);
    out.next(event);
  };
  switch (one.kind) {
    case 'price':
      return tell(new Ticker(CONTRACT, time, index + 2, one.ticks));
    case 'mark':
      return tell(new Mark(CONTRACT, time, index + 2, one.ticks, 1));
    case 'funding':
      return tell(new Funding(CONTRACT, time, index + 2, new Decimal(one.rate).div(10_000)));
    case 'cancel': {
      const id = `o${one.which}`;
      twin.matching.cancel(twin.account, id, time);
      await client.cancelFuturesOrder({ symbol: PERP, clientOid: id });
      return;
    }
    case 'trigger': {
      const [side, positionSide] = SIDES[one.type];
      const request = {
        clientOrderId: `o${index}`,
        instrument: CONTRACT,
        side,
        positionSide,
        steps: one.size * 10_000,
        triggerTicks: one.trigger,
      };
      twin.matching.submit(twin.account, order({ ...request, priceTicks: one.limit, reduceOnly: Number(one.type) > 2 }), time);
      twin.settle(time);
      const match =
        one.limit === undefined
          ? { match_type: '1' as const, execute_price: '0' }
          : { match_type: '0' as const, execute_price: text(one.limit) };
      await client.triggerOrder({
        symbol: PERP,
        client_oid: `o${index}`,
        size: String(one.size),
        type: one.type,
        trigger_price: text(one.trigger),
        ...match,
      });
    }
  }
}

const text = (units: number) => CONTRACT.tick.toText(units);

async function compare(local: Local, twin: Twin): Promise<void> {
  const client = local.client();
  const orders = (await client.futuresOrders()).reverse();
  expect(orders.map((one) => `${one.client_oid} ${one.status} ${one.filled_qty} ${one.totalProfits} ${one.fee}`)).toEqual(twin.orders());
  const { collateral, position } = await client.futuresAccount({ coinId: '2' });
  expect(
    position.map(({ side, size, open_value, cum_close_value, cum_funding_fee, cum_liquidate_fee }) => [
      side,
      size,
      open_value,
      cum_close_value,
      cum_funding_fee,
      cum_liquidate_fee,
    ]),
  ).toEqual(
    twin.account
      .positionRecords()
      .map(({ positionSide, quantity, openValue, cumulative }) => [
        positionSide.toUpperCase(),
        ...[quantity, openValue, cumulative.closeValue, cumulative.funding, cumulative.liquidationFee].map((value) => value.toFixed()),
      ]),
  );
  const own = twin.account.collateralRecords();
  expect(collateral.map(({ amount, legacy_amount }) => [amount, legacy_amount])).toEqual(
    own.map(({ amount, legacyAmount }) => [amount.toFixed(), legacyAmount.toFixed()]),
  );
  const [wallet] = await client.futuresAssets();
  const { free, balance } = twin.account.margin('USDT');
  if (wallet !== undefined) expect([wallet.available, wallet.equity]).toEqual([Decimal.max(0, free).toFixed(), balance.toFixed()]);
}

test('over HTTP futures give the same results as in process', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const out = new Subject<FeedItem>();
      const local = await startLocal({
        clock: new SteppedClock(T0),
        feed: { events$: out },
        fills: FILLS,
        accounts: [{ name: 'guest', balances: { futures: { USDT: '10000' } } }],
        lists: { keepTerminalOrders: true, keepFlatPositions: true },
        margin: () => MARGIN,
      });
      const twin = new Twin();
      try {
        await take(local, twin, out, { kind: 'price', ticks: 1_000 }, -1);
        for (const [index, one] of steps.entries()) {
          local.step(20_000);
          await take(local, twin, out, one, index);
          await compare(local, twin);
        }
      } finally {
        await local.close();
      }
    }),
    { numRuns: 40 },
  );
});
