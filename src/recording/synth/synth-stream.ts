import { Grid } from '../../model/grid.ts';
import { Random } from '../../model/random.ts';
import { MarketPath } from './market-path.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { floor, min, max, round } = Math;

/** An instrument to make data for. */
export interface SynthInstrument {
  /** `-PERP` symbols follow the spot of the same base, a few basis points above it. */
  readonly symbol: string;
  /** Price tick as decimal text. */
  readonly tick: string;
  /** Opening price as decimal text. */
  readonly price: string;
}

/** How strongly a base moves with the market, and how strongly on its own. */
const CHARACTERS: Readonly<Record<string, readonly [number, number]>> = { BTC: [1, 0.3], ETH: [1.15, 0.6] };
const OTHERS: readonly [number, number] = [1.1, 0.9];

/** Usual notional of one trade, in quote units. */
const NOTIONAL = 30_000;
const USUAL_BASIS = 0.0003;

/**
 * The trades and quotes of one instrument, one to three seconds apart: the one source of all its series,
 * so that its bars, tickers, quotes and trades agree. The fair value depends on the seed and the base
 * alone, so a perpetual and its spot share it.
 */
export class SynthStream {
  /** Epoch ms of the step at hand. */
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
  /** The last price is not that of the step before. */
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

  /** A skewed amount: most are small, one in fifty is some ten times the usual. */
  #amount(size: number, price: number): number {
    const skew = 1 / (1 - 0.98 * this.#random.uniform());
    const quantity = (NOTIONAL / price) * size * skew * this.#market.activity;
    return max(1, round(quantity * 10 ** this.quantityDecimals));
  }
}
