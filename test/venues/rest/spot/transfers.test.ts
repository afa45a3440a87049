import { describe, expect, test } from '@jest/globals';
import { ExchangeError } from '../../../../src/exchange/errors.ts';
import { Decimal, ZERO } from '../../../../src/model/decimal.ts';
import { type Asking, answered, answeredNow } from '../../../../src/venues/reconcile/records.ts';
import { RECONCILE_DEFAULTS } from '../../../../src/venues/reconcile/settings.ts';
import { SpotMoney } from '../../../../src/venues/reconcile/spot-money.ts';
import { Transfers } from '../../../../src/venues/reconcile/transfers.ts';
import { SpotReads } from '../../../../src/venues/rest/spot/spot-reads.ts';
import { instrument } from '../../../state/builders.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2025, 0, 1);
/** Periods overlap by a minute, and so late may a transfer show. */
const MINUTE = 60_000;

/** An exchange with transfers of USDT into the spot wallet, and the journal of a bot. */
class World {
  now = START;
  readonly asked: number[] = [];
  readonly warned: object[] = [];
  readonly transfers: { readonly time: number; readonly amount: string }[] = [];
  allowsMs = Number.POSITIVE_INFINITY;
  writes = 0;
  readonly #memory = new Map<string, unknown>();

  readonly client = {
    serverTime: () => this.now,
    transferRecords: async ({ before = 0 }: { readonly before?: number | undefined }) => {
      this.asked.push(before);
      if (before < this.now - this.allowsMs) {
        throw new ExchangeError({ operation: 'transferRecords', cause: 'parameter', scope: 'read', message: 'old', exchangeCode: '40704' });
      }
      const found = this.transfers.filter(({ time }) => time > before);
      return found.reverse().map(({ time, amount }) => ({
        ...{ coinName: 'USDT', status: 'SUCCESS', fromType: 'CONTRACT', fromSymbol: '', toType: 'SPOT', toSymbol: '' },
        ...{ amount, tradeTime: time },
      }));
    },
  };
  readonly context = {
    clock: { now: () => this.now },
    memory: {
      recall: (key: string) => this.#memory.get(key),
      remember: (key: string, value: unknown) => {
        this.writes++;
        this.#memory.set(key, structuredClone(value));
      },
    },
    log: { debug() {}, info() {}, warn: (_: string, fields: object = {}) => void this.warned.push(fields) },
    settled() {},
  };

  start(): Transfers {
    return new Transfers(this.context as never);
  }

  answered<T>(asking: Asking<T>): Promise<T> {
    return answered(asking, new SpotReads(this.client as never, [], this.context.log));
  }

  /** The amounts that are news, now taken in. */
  async taken(transfers: Transfers): Promise<string[]> {
    const { transfers: news, keep } = await this.answered(transfers.news('USDT', true));
    keep();
    return news.map(({ amount }) => amount.toFixed());
  }
}

describe('transfers', () => {
  test('are requested since balances were last equal to the books, and reported once', async () => {
    const world = new World();
    const transfers = world.start();
    transfers.from(START);
    world.now = START + 400 * DAY;
    transfers.balancedAt(world.now);
    world.transfers.push({ time: world.now - MINUTE / 2, amount: '5' }, { time: world.now + 1, amount: '7' });
    world.now += 10_000;
    expect(await world.taken(transfers)).toEqual(['5', '7']);
    expect(world.asked).toEqual([START + 400 * DAY - 2 * MINUTE]);
    transfers.balancedAt(world.now);
    expect(await world.taken(transfers)).toEqual([]);
    world.now += 10 * MINUTE;
    transfers.balancedAt(world.now);
    expect(await world.taken(transfers)).toEqual([]);
  });

  test('from the time when a bot was away are new after its start, earlier ones are not', async () => {
    const world = new World();
    const transfers = world.start();
    transfers.from(START);
    world.transfers.push({ time: START + HOUR, amount: '5' });
    world.now = START + HOUR + 1_000;
    expect(await world.taken(transfers)).toEqual(['5']);
    world.now = START + HOUR + 20 * MINUTE;
    transfers.balancedAt(world.now);

    world.transfers.push({ time: world.now + DAY, amount: '7' });
    world.now += 2 * DAY;
    expect(await world.taken(world.start())).toEqual(['7']);
  });

  test('are noted in the journal once an hour, where nothing is transferred', () => {
    const world = new World();
    const transfers = world.start();
    transfers.from(START);
    for (; world.now <= START + DAY; world.now += 1_000) transfers.balancedAt(world.now);
    // Once at the beginning.
    expect(world.writes).toBe(1 + 23);
  });

  test("from before the exchange's lists are logged as not covered", async () => {
    const world = new World();
    world.start().from(START);
    world.now = START + 100 * DAY;
    world.allowsMs = 90 * DAY;
    world.transfers.push({ time: START + DAY, amount: '5' }, { time: START + 50 * DAY, amount: '7' });
    expect(await world.taken(world.start())).toEqual(['7']);
    expect(world.warned).toEqual([{ from: '2024-12-31T23:59:00Z', to: '2025-01-11T00:02:00Z' }]);
  });
});

test('balances that match the books move the period of transfers, a difference does not', async () => {
  const world = new World();
  const balances = (total: string) => [{ asset: 'USDT', total: new Decimal(total), frozen: ZERO }];
  const exchangeTime = () => world.now;
  const at = (fillsReadAt: number) => ({ calm: true, fillsReadAt, isStarting: false, pending: [] });
  const context = { ...world.context, report() {} } as never;
  const check = new SpotMoney({ settings: RECONCILE_DEFAULTS, context, instruments: [instrument(0)], exchangeTime });
  answeredNow(check.begin(), { balances: () => balances('100') });
  world.now = START + DAY;
  // The balances were asked for two seconds ago.
  await world.answered(check.compare(balances('100'), at(world.now - 2_000)));
  world.now += HOUR;
  await world.answered(check.compare(balances('107'), at(world.now)));
  world.transfers.push({ time: world.now, amount: '7' });
  world.now += HOUR;
  expect(await world.answered(check.compare(balances('107'), at(world.now)))).toMatchObject([
    { subject: 'USDT', cause: 'transfer from CONTRACT to SPOT' },
  ]);
  expect(world.asked).toEqual([START + DAY - 2_000 - 2 * MINUTE]);
});
