import { performance } from 'node:perf_hooks';
import { runBacktest } from '../../src/app/backtest/run-backtest.ts';
import { HAND_FED, handFedData } from '../../src/app/library/hand-fed.ts';
import { type Bar, place, Strategy, z } from '../../src/index.ts';
import { Random } from '../../src/model/random.ts';
import { dailyReturns } from '../../src/statistics/returns/daily-returns.ts';
import { type Significance, significanceOf } from '../../src/statistics/significance/significance.ts';

// Studies whose truth is known: searches over prices without any skill in them, and over prices with a planted drift.

const START = Date.UTC(2020, 0, 1);
/** The daily spread of returns, as of a coin. */
const SPREAD = 0.025;
/** The taker fee of a fill; a round trip has two. */
const FEE = 0.0005;

/** Daily returns of prices: what they know of the future is nothing, or the drift after a signal. */
type Returns = readonly number[];

/** A random walk with fat tails and calm and wild times. @param days of daily bars. */
export function randomWalk(seed: number, days: number): Returns {
  const random = new Random(seed, 'walk');
  let calm = 1;
  return Array.from({ length: days }, () => {
    calm = Math.exp(0.95 * Math.log(calm) + 0.15 * random.normal());
    const tail = random.uniform() < 0.02 ? 3 : 1;
    return Math.max(-0.5, SPREAD * calm * tail * random.normal());
  });
}

/**
 * The same spectrum as these returns, with phases by chance: volatility and autocorrelation stay on average, and nothing that a rule could know
 * does (Theiler 1992). Their mean is taken out.
 */
export function phaseShuffled(real: Returns, seed: number, days: number): Returns {
  const random = new Random(seed, 'phases');
  const from = Math.floor(random.uniform() * (real.length - days));
  const part = real.slice(from, from + days);
  const centre = part.reduce((sum, value) => sum + value, 0) / days;
  // The angle of a wave at a day is a multiple of the smallest one.
  const cosines = Float64Array.from({ length: days }, (_, at) => Math.cos((2 * Math.PI * at) / days));
  const sines = Float64Array.from({ length: days }, (_, at) => Math.sin((2 * Math.PI * at) / days));
  const shuffled = new Float64Array(days);
  for (let wave = 1; wave <= days / 2; wave++) {
    let [cosine, sine] = [0, 0];
    for (let day = 0; day < days; day++) {
      cosine += (part[day]! - centre) * cosines[(wave * day) % days]!;
      sine += (part[day]! - centre) * sines[(wave * day) % days]!;
    }
    const size = (Math.hypot(cosine, sine) * (wave === days / 2 ? 1 : 2)) / days;
    const phase = 2 * Math.PI * random.uniform();
    const [across, along] = [size * Math.cos(phase), size * Math.sin(phase)];
    for (let day = 0; day < days; day++) shuffled[day]! += across * cosines[(wave * day) % days]! - along * sines[(wave * day) % days]!;
  }
  return [...shuffled];
}

/** The share of days after the signal of `planted`: an up day after a down day. */
const SIGNAL_SHARE = 0.25;

/**
 * A random walk whose return is higher on the day after an up day that follows a down day: a rule that holds these days alone has about this
 * annual Sharpe ratio after costs.
 */
export function planted(seed: number, days: number, annualSharpe: number): Returns {
  const random = new Random(seed, 'planted');
  // A day of the signal earns drift less two fees, at the spread of any day.
  const drift = (annualSharpe / Math.sqrt(365 * SIGNAL_SHARE)) * SPREAD + 2 * FEE;
  const returns: number[] = [];
  for (let day = 0; day < days; day++) {
    const isSignal = day > 1 && returns[day - 1]! > 0 && returns[day - 2]! < 0;
    returns.push(Math.max(-0.5, SPREAD * random.normal() + (isSignal ? drift : 0)));
  }
  return returns;
}

/** Buys or sells so that it holds the symbol, or does not. */
abstract class Holder<Schema extends z.ZodObject> extends Strategy<Schema> {
  protected hold(symbol: string, wants: boolean) {
    const held = this.position(symbol).quantity;
    if (wants === held > 0) return undefined;
    return wants
      ? place({ symbol, side: 'buy', type: 'market', quantity: { percentOfEquity: 90 } })
      : place({ symbol, side: 'sell', type: 'market', quantity: held });
  }
}

const RandomRule = z.object({ seed: z.int() });

/** Holds for some days after a weighted sum of the last five returns is above a level, all drawn by the seed. */
class RandomRules extends Holder<typeof RandomRule> {
  static override params = RandomRule;
  static override needs = { bars: '1d' } as const;
  readonly #random = new Random(this.params.seed, 'rule');
  readonly #weights = Array.from({ length: 5 }, () => this.#random.normal());
  readonly #level = this.#random.normal() * SPREAD;
  readonly #days = 1 + Math.floor(this.#random.uniform() * 3);
  readonly #returns: number[] = [];
  #left = 0;

  override onBar({ symbol, open, close }: Bar) {
    this.#returns.unshift(close / open - 1);
    this.#returns.length = Math.min(this.#returns.length, 5);
    const sum = this.#returns.reduce((total, value, lag) => total + value * this.#weights[lag]!, 0);
    this.#left = sum > this.#level ? this.#days : Math.max(0, this.#left - 1);
    return this.hold(symbol, this.#left > 0);
  }
}

const PatternRule = z.object({ near: z.int(), far: z.int(), nearUp: z.boolean(), farUp: z.boolean(), days: z.int() });

/** Holds for some days after two of the last days went the given ways. */
class Pattern extends Holder<typeof PatternRule> {
  static override params = PatternRule;
  static override needs = { bars: '1d' } as const;
  readonly #ups: boolean[] = [];
  #left = 0;

  override onBar({ symbol, open, close }: Bar) {
    this.#ups.unshift(close > open);
    this.#ups.length = Math.min(this.#ups.length, 5);
    const { near, far, nearUp, farUp, days } = this.params;
    const isMet = this.#ups[near] === nearUp && this.#ups[far] === farUp;
    this.#left = isMet ? days : Math.max(0, this.#left - 1);
    return this.hold(symbol, this.#left > 0);
  }
}

/**
 * Patterns of two of the last five days, held for one to five days: there are 200, of which the first holds the days of `planted` alone.
 * @param trials so many, the first one included.
 */
export function patterns(seed: number, trials: number): object[] {
  const all: object[] = [];
  for (let far = 1; far < 5; far++)
    for (let near = 0; near < far; near++)
      for (const nearUp of [true, false])
        for (const farUp of [false, true]) for (let days = 1; days <= 5; days++) all.push({ near, far, nearUp, farUp, days });
  const [right, ...others] = all;
  const random = new Random(seed, 'patterns');
  const order = others.map((one) => [random.uniform(), one] as const).sort(([a], [b]) => a - b);
  return [right!, ...order.map(([, one]) => one)].slice(0, trials);
}

/** So many random rules. */
export function randomRules(seed: number, trials: number): object[] {
  return Array.from({ length: trials }, (_, trial) => ({ seed: seed * 100_000 + trial }));
}

/** Runs every trial over the prices in the engine, and judges the best one by Sharpe ratio. */
export async function judgedStudy(
  returns: Returns,
  kind: 'patterns' | 'rules',
  points: readonly object[],
  draws = 500,
): Promise<Significance> {
  let price = 30_000;
  const bars = returns.map((value) => {
    const open = price;
    price = Math.max(0.01, price * (1 + value));
    const [low, high] = [Math.min(open, price), Math.max(open, price)];
    return [open, high, low, price].map((one) => Math.round(one * 100) / 100) as [number, number, number, number];
  });
  const symbol = 'BTC-USDT';
  const data = handFedData({ bars }, { start: START, interval: '1d', symbol });
  const use = kind === 'patterns' ? Pattern : RandomRules;
  const trials: number[][] = [];
  for (const params of points) {
    const config = {
      name: 'luck',
      account: { kind: 'spot', balances: { USDT: '100000' } },
      instruments: { [symbol]: { tickSize: '0.01', stepSize: '0.00001', makerFee: String(FEE), takerFee: String(FEE) } },
      strategies: [{ id: 's', use, symbols: [symbol], params }],
      backtest: { data: [HAND_FED], from: new Date(START).toISOString(), profile: 'full' },
      report: { equityEvery: '1d', benchmark: 'none' },
    };
    const quiet = { out: false, hash: false, diagnosis: false, embedded: true, env: {} } as const;
    const { observed } = await runBacktest(config as never, { ...quiet, data, stopwatch: () => performance.now() });
    trials.push(dailyReturns(observed.figures.record));
  }
  const best = trials.reduce((one, other) => (sharpeOf(other) > sharpeOf(one) ? other : one));
  const terms = { annualDays: 365, benchmark: 0, riskless: 0, confidence: 0.95, seed: 1, draws, ruinAt: 0.5 };
  return significanceOf({ returns: best, trials, tried: trials.length, elsewhere: 0 }, terms);
}

function sharpeOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares === 0 ? 0 : mean / Math.sqrt(squares);
}
