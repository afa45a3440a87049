import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { DiagnosisRecorder } from '../../../../src/app/backtest/recorders/diagnosis-recorder.ts';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import type { Fill } from '../../../../src/model/fill.ts';
import type { Instrument } from '../../../../src/model/instrument.ts';
import { Bar, type MarketEvent, Ticker } from '../../../../src/model/market-events.ts';
import type { HeldGaps } from '../../../../src/statistics/diagnosis/check.ts';
import { PERP, SPOT, Told } from '../builders.ts';

const MINUTE_MS = 60_000;

/** A recorder that is told fills and prices in the order given, as the engine tells them. */
class Seen {
  readonly told = new Told();
  readonly recorder = new DiagnosisRecorder();
  readonly #market$ = new Subject<MarketEvent>();
  readonly #account$ = new Subject<AccountEvent>();
  #ids = 0;
  #minute = 0;

  constructor() {
    this.recorder.observe({ watch: (see) => this.#market$.subscribe(see), account$: this.#account$ }, this.told.state);
  }

  /** The bar that closes at this minute. */
  bar(minute: number, sequence: number, of: Instrument = PERP): Bar {
    this.#minute = minute;
    const bar = new Bar(of, minute * MINUTE_MS, sequence, MINUTE_MS, 100, 110, 90, 105, sequence);
    this.#market$.next(bar);
    return bar;
  }

  ticker(minute: number): void {
    this.#minute = minute;
    this.#market$.next(new Ticker(PERP, minute * MINUTE_MS, 1, 100));
  }

  /** As the run ends at this minute; at the newest price unless said. */
  gaps(minute = this.#minute): HeldGaps[] {
    return this.recorder.gapsOf({ markets: this.told.state.markets, time: minute * MINUTE_MS });
  }

  /** Priced by the data of sequence 2. */
  fill(side: 'buy' | 'sell' = 'buy'): Fill {
    const id = `c${++this.#ids}`;
    const fill = this.told.fill(id, { side, positionSide: 'long' }, 100);
    this.#account$.next({ kind: 'orderFilled', time: 0, clientOrderId: id, fill, complete: true });
    return fill;
  }
}

test('a fill belongs to the next bar delivered, a fill at the close to the previous bar', () => {
  const seen = new Seen();
  const added: unknown[] = [];
  seen.recorder.bars.add = (...one) => added.push(one);
  seen.bar(1, 1);
  const inside = seen.fill();
  seen.bar(2, 1, SPOT);
  const second = seen.bar(2, 2);
  const atClose = seen.fill();
  seen.bar(3, 3);
  expect(added).toEqual([
    [inside, second],
    [atClose, second],
  ]);
});

test('without bars as prices, fills have no bar', () => {
  const seen = new Seen();
  seen.fill();
  seen.ticker(1);
  expect([seen.recorder.bars.judged, seen.recorder.bars.volumeShares()]).toEqual([0, undefined]);
});

test('missing bars count while something is held, and by how much is missing', () => {
  const seen = new Seen();
  seen.bar(1, 1);
  seen.bar(4, 2);
  expect(seen.gaps()).toEqual([]);
  seen.fill();
  seen.bar(5, 3);
  seen.bar(8, 4);
  seen.bar(9, 5);
  seen.bar(11, 6);
  // The minutes 6 and 7 are missing, then 10.
  const both = { symbol: PERP.symbol, count: 2, longestMs: 2 * MINUTE_MS, longestFrom: 5 * MINUTE_MS };
  expect(seen.gaps()).toEqual([both]);
  seen.fill('sell');
  seen.bar(12, 7);
  seen.bar(20, 8);
  expect(seen.gaps()).toEqual([both]);
});

test('a position that is opened by the first price after a gap was not held in it', () => {
  const seen = new Seen();
  seen.bar(1, 1);
  seen.fill();
  seen.bar(9, 2);
  expect(seen.gaps()).toEqual([]);
});

test('single prices have a gap after five minutes without one', () => {
  const seen = new Seen();
  seen.fill();
  seen.ticker(0);
  seen.ticker(5);
  expect(seen.gaps()).toEqual([]);
  seen.ticker(10.1);
  expect(seen.gaps()).toEqual([{ symbol: PERP.symbol, count: 1, longestMs: 5.1 * MINUTE_MS, longestFrom: 5 * MINUTE_MS }]);
});

test('prices that end before the run does are a gap while something is held', () => {
  const seen = new Seen();
  seen.bar(1, 1);
  seen.fill();
  seen.bar(2, 2);
  // Another instrument goes on for half a bar, then for three and a half: the bars 3, 4 and 5 are missing.
  expect(seen.gaps(2.5)).toEqual([]);
  expect(seen.gaps(5.5)).toEqual([{ symbol: PERP.symbol, count: 1, longestMs: 3 * MINUTE_MS, longestFrom: 2 * MINUTE_MS }]);
  seen.fill('sell');
  seen.bar(3, 3);
  expect(seen.gaps(60)).toEqual([]);
});
