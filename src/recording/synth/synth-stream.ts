import { Grid } from '../../model/grid.ts';
import { Random } from '../../model/random.ts';
import { RowBuffer } from '../columns/chunks.ts';
import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import { type SeriesEnding, type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';

// Local names: globals are slow to look up inside a vm context, such as jest's.
const { floor, max, min, round, sqrt } = Math;

/** An instrument to make data for. */
export interface SynthInstrument {
  /** `-PERP` symbols follow the spot of the same base, a few basis points above it. */
  readonly symbol: string;
  /** Price tick as decimal text. */
  readonly tick: string;
  /** Opening price as decimal text. */
  readonly price: string;
}

/** How strongly a base follows the market, and how strongly it moves by itself. */
const CHARACTERS: Readonly<Record<string, readonly [number, number]>> = { BTC: [1, 0.3], ETH: [1.15, 0.6] };
const OTHERS: readonly [number, number] = [1.1, 0.9];

/** Usual notional of one trade, in quote units. */
const NOTIONAL = 30_000;
const USUAL_BASIS = 0.0003;

/**
 * The trades and quotes of one instrument, one to three seconds apart: the only source of all its series, so that its bars, tickers, quotes
 * and trades agree. The fair value depends on the seed and the base alone, so a perpetual and its spot share it.
 */
export class SynthStream {
  /** Epoch ms of the current step. */
  time: number;
  /** In ticks. */
  last = 0;
  bid = 0;
  ask = 0;
  /** 1 when a buyer took the ask, -1 when a seller hit the bid. */
  side = 1;
  /** In units of `10^-quantityDecimals`, at least 1. */
  quantity = 0;
  bidQuantity = 0;
  askQuantity = 0;
  /** The last price differs from that of the previous step. */
  changed = false;
  readonly tick: Grid;
  readonly quantityDecimals: number;
  readonly #market: MarketPath;
  readonly #own: Random;
  readonly #random: Random;
  readonly #character: readonly [number, number];
  readonly #perpetual: boolean;
  #second: number;
  #fair: number;
  #basis: number;

  /** @param startMs a whole minute. */
  constructor(instrument: SynthInstrument, seed: number, startMs: number) {
    const base = instrument.symbol.split('-')[0]!;
    this.#market = new MarketPath(seed, startMs / 1_000);
    this.#own = new Random(seed, `base ${base}`);
    this.#random = new Random(seed, `instrument ${instrument.symbol}`);
    this.#character = CHARACTERS[base] ?? OTHERS;
    this.#perpetual = instrument.symbol.endsWith('-PERP');
    this.#basis = this.#perpetual ? USUAL_BASIS : 0;
    this.tick = new Grid(instrument.tick);
    this.#fair = Number(instrument.price);
    this.quantityDecimals = min(8, String(floor(this.#fair)).length);
    this.#second = startMs / 1_000;
    this.time = startMs;
    this.#advance(floor(this.#random.between(0, 1_000)));
  }

  /** Moves on to the next step. */
  next(): void {
    this.#advance(floor(this.#random.between(1_000, 3_001)));
  }

  #advance(gapMs: number): void {
    const random = this.#random;
    this.time += gapMs;
    for (const second = floor(this.time / 1_000); this.#second < second; this.#second++) this.#moveFair();
    if (this.#perpetual) this.#basis += 0.001 * (USUAL_BASIS - this.#basis) + 0.000_004 * random.normal();

    const before = this.last;
    const price = this.#fair * (1 + this.#basis);
    this.bid = max(1, floor((price * this.tick.scale) / this.tick.numerator));
    this.ask = this.bid + (random.uniform() < 0.85 ? 1 : 2);
    if (random.uniform() < 0.4) this.side = -this.side;
    this.last = this.side > 0 ? this.ask : this.bid;
    this.changed = this.last !== before;
    this.quantity = this.#amount(0.25, price);
    this.bidQuantity = this.#amount(1, price);
    this.askQuantity = this.#amount(1, price);
  }

  #moveFair(): void {
    this.#market.step();
    const [together, alone] = this.#character;
    this.#fair *= 1 + together * this.#market.change + alone * this.#market.volatility * this.#own.normal();
  }

  /** A skewed amount: most are small, one in fifty is about ten times the usual. */
  #amount(size: number, price: number): number {
    const skew = 1 / (1 - 0.98 * this.#random.uniform());
    const quantity = (NOTIONAL / price) * size * skew * this.#market.activity;
    return max(1, round(quantity * 10 ** this.quantityDecimals));
  }
}

const SECONDS_A_YEAR = 31_536_000;
const YEARLY_VOLATILITY = 0.4;
const SECOND_VOLATILITY = YEARLY_VOLATILITY / sqrt(SECONDS_A_YEAR);

/** The activity of each hour of the UTC day, 1 on average: low at night, highest in the overlap of Europe and the US. */
const HOURLY_ACTIVITY = [0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.7, 0.9, 1, 1, 1, 1, 1.1, 1.4, 1.7, 1.7, 1.5, 1.3, 1.1, 1, 0.9, 0.9, 0.8, 0.8];
const WEEKEND_ACTIVITY = 0.6;

/** Volatility as a multiple of the usual, and its average duration, in minutes. */
const REGIMES = [
  { volatility: 0.6, minutes: 600 },
  { volatility: 1, minutes: 900 },
  { volatility: 1.8, minutes: 240 },
] as const;

/**
 * The common movement of all synthetic instruments, second by second:
 * - volatility clusters: a regime (calm, normal, wild), times a GARCH(1,1) factor that changes each minute, times the hour of the day and
 *   the weekend;
 * - trends: half of the time a drift of 0.2 to 0.6 % an hour, up or down, for 1.5 to 10 hours;
 * - jumps of 0.2 to 0.7 %, about one in three days.
 */
class MarketPath {
  /** Return of the last second, as a fraction. */
  change = 0;
  /** Volatility of the last second, as a fraction. */
  volatility = 0;
  /** The activity of the market, 1 on average. */
  activity = 1;
  readonly #random: Random;
  #second: number;
  #regime: number;
  #heat = 1;
  #minuteChange = 0;
  #minuteVariance = 0;
  #drift = 0;
  #driftMinutes = 0;

  /** @param startSecond epoch seconds before the first step; a whole minute. */
  constructor(seed: number, startSecond: number) {
    this.#random = new Random(seed, 'market');
    this.#second = startSecond;
    this.#regime = 1;
    this.#minute();
  }

  /** Moves on by one second. */
  step(): void {
    this.#second++;
    const noise = this.volatility * this.#random.normal();
    this.change = noise + this.#drift;
    this.#minuteChange += noise;
    this.#minuteVariance += this.volatility * this.volatility;
    if (this.#second % 60 === 0) this.#minute();
  }

  #minute(): void {
    const random = this.#random;
    if (this.#minuteVariance > 0) {
      const surprise = (this.#minuteChange * this.#minuteChange) / this.#minuteVariance;
      this.#heat = min(9, 0.03 + this.#heat * (0.87 + 0.1 * surprise));
    }
    this.#minuteChange = 0;
    this.#minuteVariance = 0;
    if (random.uniform() * REGIMES[this.#regime]!.minutes < 1) this.#regime = (this.#regime + (random.uniform() < 0.5 ? 1 : 2)) % 3;
    if (this.#driftMinutes-- <= 0) this.#trend();
    if (random.uniform() * 4_320 < 1) this.change += random.between(0.002, 0.007) * (random.uniform() < 0.5 ? -1 : 1);

    const hour = floor(this.#second / 3_600) % 24;
    const day = (floor(this.#second / 86_400) + 4) % 7;
    const calendar = HOURLY_ACTIVITY[hour]! * (day === 0 || day === 6 ? WEEKEND_ACTIVITY : 1);
    const regime = REGIMES[this.#regime]!.volatility;
    this.volatility = SECOND_VOLATILITY * regime * sqrt(this.#heat * calendar);
    this.activity = calendar * regime * sqrt(this.#heat);
  }

  #trend(): void {
    const random = this.#random;
    const hourly = random.uniform() < 0.5 ? 0 : random.between(0.002, 0.006) * (random.uniform() < 0.5 ? -1 : 1);
    this.#drift = hourly / 3_600;
    this.#driftMinutes = floor(random.between(90, 600));
  }
}

/** One synthetic series while it is made from the steps of its instrument's stream. */
export interface SynthWork {
  /** The end of its use of the stream, epoch ms; `-Infinity` where it does not use the stream. */
  readonly streamEndMs: number;
  /** Takes the stream's present step; steps after the end are left out. */
  add(stream: SynthStream): void;
  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta;
  abort(): void;
}

/** The rows of one synthetic series, which are written into its file. */
export class SynthRows {
  readonly #writer: SeriesWriter;
  readonly #buffer: RowBuffer;

  constructor(target: SeriesTarget) {
    this.#writer = new SeriesWriter(target);
    this.#buffer = new RowBuffer(target.kind);
  }

  /** @param values the columns of the kind after the time, as integers. */
  add(timeMs: number, values: readonly number[]): void {
    const buffer = this.#buffer;
    buffer.time[buffer.rows] = timeMs * 1_000;
    values.forEach((value, index) => {
      buffer.columns[index]![buffer.rows] = value;
    });
    if (++buffer.rows === buffer.capacity) this.#writer.write(buffer);
  }

  finish(ending: Omit<SeriesEnding, 'source'>): SeriesMeta {
    this.#writer.write(this.#buffer);
    return this.#writer.finish({ ...ending, source: [] });
  }

  abort(): void {
    this.#writer.abort();
  }
}
