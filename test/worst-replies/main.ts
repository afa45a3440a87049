import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { SystemClock } from '../../src/venues/rest/real-clock.ts';

// A client that calls each operation of one server: prints its memory and longest turn as a line of JSON. Called by scripts/worst-replies.mjs.
const [origin = ''] = process.argv.slice(2);
const clock = new SystemClock();
const client = new ExchangeClient({
  clock,
  budget: new WeightBudget(clock),
  credentials: new Credentials({ key: 'local-key', secret: 'local-secret', passphrase: 'local-passphrase' }),
  random: () => 0,
  settings: { spotBaseUrl: origin, contractBaseUrl: origin, readAttempts: 1, clockSyncMs: 0 },
});
const delay = monitorEventLoopDelay({ resolution: 10 });
await wait(100);
delay.enable();
const outcomes: string[] = [];
for (const call of [
  () => client.tickers(),
  () => client.orderInfo({ orderId: '1' }),
  () => client.fills({ symbol: 'BTCUSDT_SPBL' }),
  () => client.futuresDepth({ symbol: 'cmt_btcusdt' }),
]) {
  outcomes.push(
    await call().then(
      () => 'read',
      (error: Error) => error.message.slice(0, 100),
    ),
  );
  await wait(50);
}
await client.close();
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ megabytes: Math.round(maxRSS / 1024), turnMs: Math.round(delay.max / 1e6), outcomes }));
