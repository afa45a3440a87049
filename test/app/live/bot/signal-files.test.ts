import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SignalFiles, waitingRows } from '../../../../src/app/live/bot/signal-files.ts';
import type { SignalReceived } from '../../../../src/model/signal.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const T0 = 1_735_689_600_000;
const DAY_MS = 86_400_000;

/** A bot's signals on a clock that the test moves; `restart` begins again with the same memory. */
class Bench {
  readonly file = join(temporaryFolder(), 'preds.jsonl');
  readonly got: string[] = [];
  readonly lines: string[] = [];
  now = T0;
  failure: unknown;
  #memory = new Map<string, unknown>();
  #look: (() => void) | undefined;
  #active = true;

  warned = 0;

  constructor(private readonly delayMs = 0) {}

  get #sources() {
    return [{ name: 'preds', file: this.file, delayMs: this.delayMs, maxAheadMs: DAY_MS }];
  }

  get waiting() {
    return waitingRows(this.#sources, { recall: (key) => this.#memory.get(key) }, this.now);
  }

  start(): this {
    const log = (text: string, fields?: object) => void this.lines.push(`${text} ${JSON.stringify({ ...fields, file: undefined })}`);
    const warn = (text: string, fields?: object) => {
      this.warned++;
      log(text, fields);
    };
    const signals = new SignalFiles({
      sources: this.#sources,
      everyMs: 1_000,
      clock: {
        now: () => this.now,
        schedule: (_, callback) => {
          this.#look = callback;
          return () => {};
        },
      },
      memory: { remember: (key, value) => void this.#memory.set(key, structuredClone(value)), recall: (key) => this.#memory.get(key) },
      log: { debug: log, info: log, warn },
      active: () => this.#active,
      deliver: (some) => void this.got.push(...some.map(shown)),
      failed: (error) => {
        this.failure = error;
      },
    });
    signals.start();
    return this;
  }

  look(seconds = 1): this {
    this.now += seconds * 1_000;
    this.#look?.();
    return this;
  }

  write(text: string): this {
    appendFileSync(this.file, text);
    return this;
  }
}

const shown = ({ time, symbol, sourceTime, values }: SignalReceived) =>
  `${time - T0} ${Math.round((sourceTime - T0) * 1_000) / 1_000} ${symbol ?? '-'} ${JSON.stringify(values)}`;
const row = (seconds: number, more: object) => `${JSON.stringify({ time: T0 + seconds * 1_000, ...more })}\n`;

test('a bot delivers lines when they are whole, once, and a restart continues after the last one', () => {
  const bench = new Bench().start();
  bench.write(row(0, { symbol: 'BTC-USDT', up: 0.5, hold: true })).look();
  expect(bench.got).toEqual(['1000 0 BTC-USDT {"up":0.5,"hold":"true"}']);
  bench
    .write(row(1, { up: 1 }))
    .write(row(2, { up: 2 }).slice(0, 10))
    .look();
  expect(bench.got.slice(1)).toEqual(['2000 1000 - {"up":1}']);
  bench
    .write(row(2, { up: 2 }).slice(10))
    .write(row(3, { up: 3 }))
    .start();
  expect(bench.got.slice(2)).toEqual(['2000 2000 - {"up":2}']);
  bench.look().look().start();
  expect(bench.got.slice(3)).toEqual(['3000 3000 - {"up":3}']);
});

test('a first start begins at the end of the file', () => {
  const bench = new Bench();
  writeFileSync(bench.file, row(-60, { up: 1 }) + row(-30, { up: 2 }));
  bench.start().look();
  expect(bench.got).toEqual([]);
  expect(bench.lines[0]).toMatch(/^signals begin at the end of the file {"signals":"preds","bytes":\d+}$/);
  bench.write(row(0, { up: 3 })).look();
  expect(bench.got).toEqual(['2000 0 - {"up":3}']);
});

test('a row waits for its time plus the delay, and the lines after it with it', () => {
  const bench = new Bench(10_000).start();
  bench
    .write(row(0, { up: 1 }))
    .write(row(-20, { up: 2 }))
    .look()
    .look(8);
  expect(bench.got).toEqual([]);
  expect(bench.lines).toEqual([expect.stringMatching(/^a signal waits for its time, .*"due":"2025-01-01T00:00:10Z"/)]);
  bench.look();
  expect(bench.got).toEqual(['10000 0 - {"up":1}', '10000 -20000 - {"up":2}']);
});

test('a row that must wait for more than an hour is a warning: its time is probably wrong', () => {
  const bench = new Bench().start();
  bench.write(row(3_602, { up: 1 })).look();
  expect(bench.warned).toBe(1);
  const within = new Bench().start();
  within.write(row(3_601, { up: 1 })).look();
  expect([within.warned, within.lines.length]).toEqual([0, 1]);
});

test('a row that is further ahead than maxAhead is left out, and the lines after it do not wait', () => {
  const bench = new Bench().start();
  bench
    .write(row(86_402, { up: 1 }))
    .write(row(1, { up: 2 }))
    .look();
  expect(bench.got).toEqual(['1000 1000 - {"up":2}']);
  expect(bench.lines[0]).toMatch(
    /^this line is no signal and is left out: "time" is 2025-01-02T00:00:02Z, too far ahead .*signals\.preds\.maxAhead allows 1d {"signals":"preds","byte":0,"line":1/,
  );
});

test('rows wait from the first whose time has not come; those that the next look delivers do not', () => {
  const bench = new Bench(10_000);
  expect(bench.waiting).toEqual([]);
  bench.start();
  bench
    .write(row(-20, { up: 1 }))
    .write(row(50, { up: 2 }))
    .write('{"time":\n')
    .write(row(86_500, { up: 3 }))
    .write(row(-20, { up: 4 }))
    .write(row(0, { up: 5 }).slice(0, -1));
  const waiting = [{ name: 'preds', rows: 2, until: T0 + 60_000 }];
  expect(bench.waiting).toEqual(waiting);
  expect(bench.look().waiting).toEqual(waiting);
  expect(bench.got).toHaveLength(1);
  expect(bench.look(60).waiting).toEqual([]);
});

test('a time finer than a microsecond is rounded up, so that no signal is early', () => {
  const bench = new Bench().start();
  const ns = BigInt(T0) * 1_000_000n;
  bench.write(`{"time":"${ns + 1_500n}","up":1}\n{"time":"${ns + 2_000n}","up":2}\n`).look();
  expect(bench.got).toEqual(['1000 0.002 - {"up":1}', '1000 0.002 - {"up":2}']);
});

test('a late row is delivered and logged', () => {
  const bench = new Bench()
    .start()
    .write(row(-120, { up: 1 }))
    .look();
  expect(bench.got).toHaveLength(1);
  expect(bench.lines[0]).toContain('a signal is late {"signals":"preds","byte":0,"line":1,"time":"2024-12-31T23:58:00Z","lateMs":121000}');
});

test.each([
  ['{"time":', 'expected one JSON object: '],
  ['[1]', 'expected one JSON object'],
  ['{"up":1}', '"time": missing; expected epoch s, ms, us or ns'],
  ['{"time":"soon"}', '"time": "soon"; expected epoch'],
  ['{"time":1735689600,"symbol":"BTC"}', '"symbol": "BTC"; expected a symbol such as BTC-USDT, or none'],
  ['{"time":1735689600,"up":{}}', '"up": expected a number, a text or null'],
  ['{"time":1735689600,"a b":1}', '"a b" cannot name a column'],
])('the line %s is logged with its place and left out', (line, problem) => {
  const bench = new Bench()
    .start()
    .write(row(0, { up: 1 }))
    .write(`${line}\n`)
    .write(row(0, { up: 2 }))
    .look();
  expect(bench.got).toHaveLength(2);
  expect(bench.lines).toEqual([expect.stringContaining(`this line is no signal and is left out: ${problem}`)]);
  expect(bench.lines[0]).toContain('"line":2');
});

test('a file with other content is read from its beginning', () => {
  const bench = new Bench()
    .start()
    .write(row(0, { up: 1 }))
    .look();
  writeFileSync(bench.file, row(0, { up: 2 }) + row(1, { up: 3 }));
  bench.look();
  expect(bench.got.slice(1)).toEqual(['2000 0 - {"up":2}', '2000 1000 - {"up":3}']);
  expect(bench.lines).toEqual([expect.stringContaining('the file of signals has other content than before')]);
});

test('a file that cannot be read ends the bot with its name', () => {
  const bench = new Bench();
  const { file } = bench;
  Object.assign(bench, { file: join(file, '..') });
  bench.start();
  expect(bench.failure).toMatchObject({ code: 'DATA_INVALID', message: expect.stringContaining('the file of signals cannot be read') });
});
