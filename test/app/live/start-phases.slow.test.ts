import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { OperationName } from '../../../src/exchange/operations/operation-table.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import type { FaultKind } from '../../../src/local-exchange/faults.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { until } from '../../support/until.ts';
import { ended, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

const IDLE = `import { Strategy } from 'tidegate';
export class Idle extends Strategy { static needs = { tickers: true, bars: '1m', history: 3 }; }
`;
const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.001' });

test('each phase of a start says what it waits for, since when, and that the bot does not trade', async () => {
  const real = new SystemClock();
  let aheadMs = 0;
  const clock = { now: () => real.now() + aheadMs, schedule: (time: number, act: () => void) => real.schedule(time - aheadMs, act) };
  const local = await wallExchange({ clock });
  const { control } = local.exchange;
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT', ', candles: true, warmup: cold');
  writeFileSync(work.path('once.ts'), IDLE);
  mkdirSync(work.path('runs/once-live'), { recursive: true });
  const watchdog = BotJournal.open(work.path('runs/once-live/watchdog.sqlite'), { bot: 'once', now: () => real.now(), instruments: [BTC] });
  const fails = (operation: OperationName, fault: FaultKind = 'failBefore') =>
    control.setFaults({ rules: [{ fault, operations: [operation] }] });
  const phases: [reason: RegExp, begins: () => void][] = [
    [/^waits for a watchdog that acts for this bot$/, () => fails('spotTime', 'reset')],
    // Without the network.
    [/^waits for the checks of the config at the exchange \(spotTime: no reply/, () => watchdog.close()],
    [
      /^waits for the checks of the config at the exchange \(this machine's clock is \d+ ms behind/,
      () => {
        aheadMs = 5_000;
        control.setFaults({ rules: [] });
      },
    ],
    [
      /^waits for the checks of the config at the exchange \(accountAssets: HTTP 400, code 40013 \(account frozen\)/,
      () => {
        control.setStatus('bot', { frozen: true });
        aheadMs = 0;
      },
    ],
    [
      /^waits for candles of the exchange \(candles: HTTP 500/,
      () => {
        fails('candles');
        control.setStatus('bot', { frozen: false });
      },
    ],
    [/^waits for journal and exchange to be compared \(fills: HTTP 500/, () => fails('fills')],
  ];
  let bot: ReturnType<typeof work.launch> | undefined;
  let before = real.now();
  for (const [reason, begins] of phases) {
    begins();
    bot ??= work.launch('live', local.env);
    await until(
      () => work.status().catch(() => undefined),
      (status) => reason.test(status?.health[0]?.reason ?? ''),
    );
    const { phase, trading, health } = await work.status();
    expect([phase, trading, health[0]]).toEqual(['starting', 'no', expect.objectContaining({ subject: 'start', condition: 'waiting' })]);
    // The checks are one phase, whatever keeps it waiting.
    expect(health[0]!.since).toBeGreaterThanOrEqual(before);
    before = health[0]!.since!;
    expect((await work.run(['status', work.config])).stdout).toMatch(/^trading +NO: start waiting since 20\S+ \(waits for /m);
  }
  control.setFaults({ rules: [] });
  await bot!.said('ready');
  const { phase, trading, health } = await work.status();
  expect([phase, trading, health]).toEqual(['running', 'yes', []]);
  await ended(bot!);
});
