import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { readCsv, runCli, SHARED, sharedTest } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Taker {
  readonly local_ns: number;
  readonly side: 'buy' | 'sell';
  readonly qty: string;
  readonly filled: string;
  readonly levels: number;
  readonly notional: string;
}
interface PassiveFill {
  readonly local_ns: number;
}
interface Passive {
  readonly id: number;
  readonly place_ns: number;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly qty: string;
  readonly touch_fill: PassiveFill;
  readonly through_fill: PassiveFill;
  readonly risk_averse_queue_fill: PassiveFill;
}
interface Reference {
  readonly taker: readonly Taker[];
  readonly passive: readonly Passive[];
}

const SYMBOL = 'ETH-USDT-PERP';
const TICKS = join(SHARED, 'data/binance-ticks-2024-08-08');
const plain = (decimal: string | Decimal) => new Decimal(decimal).toFixed();

/** Stamps in nanoseconds are beyond what a double holds: they become milliseconds to the microsecond, as recordings have them. */
function reference(): Reference {
  const text = readFileSync(join(SHARED, 'reference/book-usdm-ETHUSDT.json'), 'utf8');
  const stamped = (_: string, name: string, stamp: string) => `"${name}": ${Number(BigInt(stamp) / 1000n) / 1000}`;
  return JSON.parse(text.replace(/"(local_ns|place_ns)": (\d+)/g, stamped)) as Reference;
}

interface Sent {
  readonly id: string;
  readonly timeMs: number;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly price?: string;
}

let imported: Promise<string> | undefined;
/** A folder with the recording: imported once for all tests. */
function recording(): Promise<string> {
  imported ??= (async () => {
    const folder = temporaryFolder();
    for (const [kind, file] of [
      ['depth', 'usdm-ETHUSDT-depth.csv.gz'],
      ['trade', 'usdm-ETHUSDT-trades.csv.gz'],
    ] as const) {
      await runCli(folder, ['data', 'import', join(TICKS, file), '--symbol', SYMBOL, '--kind', kind, '--name', 'ticks']);
    }
    return folder;
  })();
  return imported;
}

let runs = 0;
/** The fills of each order, by its id. */
async function fillsOf(orders: readonly Sent[], fills: object): Promise<Map<string, Record<string, string>[]>> {
  const folder = await recording();
  const out = `out-${++runs}`;
  const config = {
    name: 'reference',
    dataDir: 'data',
    account: { kind: 'netting', balances: { USDT: '100000000' } },
    instruments: { [SYMBOL]: { tickSize: '0.01', stepSize: '0.001' } },
    strategies: [{ id: 's', file: join(import.meta.dirname, 'strategies/book-orders.ts'), symbols: [SYMBOL], params: { orders } }],
    backtest: { data: ['ticks'], fills: { ...fills, impact: 'none', restingBy: 'trades' } },
  };
  await runCli(folder, ['backtest', 'c.yaml', '--quiet', '--out', out], { files: { 'c.yaml': JSON.stringify(config) } });
  const found = new Map<string, Record<string, string>[]>();
  for (const row of readCsv(join(folder, out, 'fills.csv'))) found.set(row.tag!, [...(found.get(row.tag!) ?? []), row]);
  return found;
}

describe('orders in a recorded book of ETHUSDT', () => {
  sharedTest('takers walk the levels of the reference, as decimals', async () => {
    const { taker } = reference();
    const orders = taker.map(({ local_ns: timeMs, side, qty }, index): Sent => ({ id: String(index), timeMs, side, quantity: qty }));
    const fills = await fillsOf(orders, {});
    const sum = (rows: readonly Record<string, string>[], value: (row: Record<string, string>) => Decimal) =>
      plain(rows.reduce((total, row) => total.plus(value(row)), new Decimal(0)));
    const found = taker.map((_, index) => {
      const rows = fills.get(String(index))!;
      return {
        filled: sum(rows, (row) => new Decimal(row.quantity!)),
        levels: rows.length,
        notional: sum(rows, (row) => new Decimal(row.quantity!).times(row.price!)),
      };
    });
    expect(found).toEqual(taker.map(({ filled, levels, notional }) => ({ filled: plain(filled), levels, notional: plain(notional) })));
  });

  sharedTest.each([
    ['a trade that touches the limit', 'touch', 'touch_fill'],
    ['a trade through the limit', 'strictCross', 'through_fill'],
    ['trades that use the queue up, or one through it', { queue: 'riskAverse' }, 'risk_averse_queue_fill'],
  ] as const)('resting orders fill at %s', async (_, limit, expected) => {
    const { passive } = reference();
    const orders = passive.map(
      ({ id, place_ns: timeMs, side, price, qty }): Sent => ({ id: String(id), timeMs, side, price, quantity: qty }),
    );
    // Each order stands alone in the reference: one run each, as own orders would share the trades.
    const fills = await fillsOf(orders, { limit, liquidity: 'unlimited' });
    const first = passive.map(({ id }) => {
      const row = fills.get(String(id))?.[0];
      return { id, time: row?.pricedTime, price: row?.price, liquidity: row?.liquidity };
    });
    expect(first).toEqual(
      passive.map((row) => ({ id: row.id, time: String(row[expected].local_ns), price: plain(row.price), liquidity: 'maker' })),
    );
  });
});
