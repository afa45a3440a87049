import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKETS, type Market } from './list.ts';
import { Place, type PlaceOptions, slept, until } from './place.ts';

// The time from `kill --flatten` to the close at the exchange, in several situations: each measurement is a line of JSON. Called by
// scripts/situations.mjs with the project's folder.

interface Measured {
  readonly name: string;
  readonly title: string;
  readonly options?: Partial<PlaceOptions>;
  /** Default: both. */
  readonly markets?: readonly Market[];
  readonly make: (place: Place) => Promise<void>;
}

const SLOW_MS = 10_000;
const UNKNOWN = 3;

const CASES: readonly Measured[] = [
  { name: 'idle', title: 'ready, one stop and one bid are open', make: async () => {} },
  {
    name: 'orders',
    title: '100 open orders',
    // Most of them wait for the rate limits, longer than a bot would let them by default.
    options: { bids: 99, live: ', maxSendDelayMs: 300000' },
    make: async () => {},
  },
  {
    name: 'unknown',
    title: `${UNKNOWN} opening orders with an unknown outcome`,
    make: async (place) => {
      place.faults([{ fault: 'drop', operations: ['batchOrders', 'triggerOrder'], times: UNKNOWN }]);
      // One bid at each price.
      for (let unknown = 1; unknown <= UNKNOWN; unknown++) {
        place.price(String(58_000 - unknown));
        await until(
          async () => ((await place.status())?.openOrders.unknown ?? 0) >= unknown,
          () => `no order is unknown: ${place.logText().slice(-1_000)}`,
        );
      }
    },
  },
  {
    name: 'slow',
    title: 'the exchange answers after 10 s',
    make: async (place) => {
      place.faults([{ fault: 'delay', ms: [SLOW_MS, SLOW_MS] }]);
      // All requests under way are slow ones.
      await slept(2_000);
    },
  },
  {
    name: 'reserved',
    title: 'the same, and a resting sell has reserved all coins',
    markets: ['spot'],
    options: { sells: true, ownCoins: 0 },
    make: async (place) => {
      place.price('61500');
      await until(
        () => place.account.orders.all.some(({ live, request }) => live && request.side === 'sell'),
        () => `no sell rests: ${place.logText().slice(-1_000)}`,
      );
      place.faults([{ fault: 'delay', ms: [SLOW_MS, SLOW_MS] }]);
      await slept(2_000);
    },
  },
  {
    name: 'start',
    title: "a start that waits: the machine's clock is 5 s behind",
    make: async (place) => {
      await place.gone();
      place.clock.aheadMs = 5_000;
      place.start();
      await until(
        async () => (await place.status())?.phase === 'starting',
        () => 'it does not wait',
        place.bot,
      );
      await slept(3_000);
    },
  },
  {
    name: 'hung',
    title: 'a hung bot with a watchdog (`afterMs: 3000`, `flatten: true`)',
    options: { watchdogFlattens: true },
    make: async (place) => {
      const watchdog = place.watch();
      await until(
        () => /"msg":"ready"/.test(watchdog.stdout),
        () => 'the watchdog is not ready',
        watchdog,
      );
      place.bot!.child.kill('SIGSTOP');
    },
  },
];

/** Longer than any case may take. */
const LONGEST_MS = 180_000;

async function measured({ name, title, make, options }: Measured, market: Market, root: string, folder: string): Promise<object> {
  mkdirSync(folder);
  const place = await Place.open({ root, folder, market, ...options });
  try {
    await place.holding();
    await make(place);
    const from = performance.now();
    const command = place.command('kill', '--flatten', '--wait', '120');
    const closed = { ms: Number.NaN };
    await until(
      () => place.left().position === 'closed',
      () => `${name} (${market}): not closed: ${place.logText().slice(-1_500)}`,
      undefined,
      LONGEST_MS,
      LOOK_MS,
    );
    closed.ms = performance.now() - from;
    const { code } = name === 'hung' ? { code: undefined } : await command;
    return { name, title, market, ms: Math.round(closed.ms), code };
  } finally {
    await place.close();
  }
}

/** The error of a measurement, in ms. */
const LOOK_MS = 5;

const [root = '.', only = ''] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), 'tidegate-times-'));
let wrong = 0;
for (const one of CASES.filter(({ name }) => only === '' || name === only)) {
  for (const market of one.markets ?? MARKETS) {
    try {
      process.stdout.write(`${JSON.stringify(await measured(one, market, root, join(folder, `${one.name}-${market}`)))}\n`);
    } catch (error) {
      wrong++;
      process.stdout.write(`${JSON.stringify({ name: one.name, title: one.title, market, error: (error as Error).message })}\n`);
    }
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(wrong === 0 ? 0 : 1);
