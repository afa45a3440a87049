import { Random } from '../../model/random.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { floor, sqrt, min } = Math;

const SECONDS_A_YEAR = 31_536_000;
const YEARLY_VOLATILITY = 0.4;
const SECOND_VOLATILITY = YEARLY_VOLATILITY / sqrt(SECONDS_A_YEAR);

/** How busy each hour of the UTC day is, 1 on average: quiet nights, the overlap of Europe and the US on top. */
const HOURLY_ACTIVITY = [0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.7, 0.9, 1, 1, 1, 1, 1.1, 1.4, 1.7, 1.7, 1.5, 1.3, 1.1, 1, 0.9, 0.9, 0.8, 0.8];
const WEEKEND_ACTIVITY = 0.6;

/** Volatility as a multiple of the usual, and how long it stays on average, in minutes. */
const REGIMES = [
  { volatility: 0.6, minutes: 600 },
  { volatility: 1, minutes: 900 },
  { volatility: 1.8, minutes: 240 },
] as const;

/**
 * What moves all synthetic instruments together, second by second:
 * - volatility clusters: a regime (calm, normal, wild), times a GARCH(1,1) factor that is renewed each
 *   minute, times the hour of the day and the weekend;
 * - trends: half of the time a drift of 0.2 to 0.6 % an hour, up or down, for 1.5 to 10 hours;
 * - jumps of 0.2 to 0.7 %, one in about three days.
 */
export class MarketPath {
  /** Return of the last second, as a fraction. */
  change = 0;
  /** Volatility of the last second, as a fraction. */
  volatility = 0;
  /** How busy the market is, 1 on average. */
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
