import { Decimal } from '../model/decimal.ts';

/** A parameter of a search as the config describes it: its values, one by one or as a range. Numbers are decimal text. */
export type ParameterTerms =
  | { readonly values: readonly string[] }
  | {
      readonly min: string;
      readonly max: string;
      /** Distance of two values; without it, whole bounds have whole values and others any value between them. */
      readonly step?: string | undefined;
      readonly scale?: 'linear' | 'log' | undefined;
    };

/** One parameter of a space: what its coordinate may be, and the value of each coordinate as text. */
export interface Dimension {
  readonly name: string;
  /** The number of its values; `undefined` if it may have any value of its range. */
  readonly count: number | undefined;
  /** Neighbouring coordinates have neighbouring values: false for a list of choices. */
  readonly ordered: boolean;
  /** The coordinate of a share u of the dimension, 0 <= u < 1: equal parts of u have equal parts of the range, on its scale. */
  at(share: number): number;
  /** The share in the middle of the part that has this coordinate: `at(shareOf(x))` is x. */
  shareOf(coordinate: number): number;
  /** The value as text in a config. */
  text(coordinate: number): string;
  /** The coordinate of a value; `undefined` if the dimension does not have it. */
  coordinateOf(text: string): number | undefined;
}

/** One coordinate for each dimension: the number of its value from 0, or, where values are not counted, a share of the range in [0, 1). */
export type Point = readonly number[];

/** Digits of a value of a range without a step: enough for any strategy, and short enough to read. */
const DIGITS = 9;

/** The dimension of a parameter. Bounds and steps must be sound: `min` <= `max`, `step` above 0, `min` above 0 on a log scale. */
export function dimension(name: string, terms: ParameterTerms): Dimension {
  if ('values' in terms) return new Choices(name, terms.values);
  const { min, max, step, scale = 'linear' } = terms;
  const isWhole = [min, max].every((text) => /^[+-]?\d+$/.test(text));
  const distance = step ?? (isWhole ? '1' : undefined);
  const bounds = { min: new Decimal(min), max: new Decimal(max), isLog: scale === 'log' };
  return distance === undefined ? new Range(name, bounds) : new Steps(name, bounds, new Decimal(distance));
}

class Choices implements Dimension {
  readonly count: number;
  readonly ordered = false;

  constructor(
    readonly name: string,
    private readonly values: readonly string[],
  ) {
    this.count = values.length;
  }

  at(share: number): number {
    return Math.min(this.count - 1, Math.floor(share * this.count));
  }

  shareOf(coordinate: number): number {
    return (coordinate + 0.5) / this.count;
  }

  text(coordinate: number): string {
    return this.values[coordinate]!;
  }

  coordinateOf(text: string): number | undefined {
    const index = this.values.indexOf(text);
    return index < 0 ? undefined : index;
  }
}

interface Bounds {
  readonly min: Decimal;
  readonly max: Decimal;
  readonly isLog: boolean;
}

/** Values at equal distances from `min`. On a log scale, each has the share between the middles to its neighbours. */
class Steps implements Dimension {
  readonly count: number;
  readonly ordered = true;
  readonly #scale: Scale;

  constructor(
    readonly name: string,
    private readonly bounds: Bounds,
    private readonly step: Decimal,
  ) {
    const { min, max, isLog } = bounds;
    this.count = max.minus(min).div(step).floor().toNumber() + 1;
    const half = step.toNumber() / 2;
    // The first value has half a step below it too, but nothing below zero has a logarithm.
    const low = isLog ? Math.max(min.toNumber() - half, min.toNumber() / 2) : min.toNumber() - half;
    this.#scale = new Scale(low, min.plus(step.times(this.count - 1)).toNumber() + half, isLog);
  }

  at(share: number): number {
    const { min } = this.bounds;
    const index = Math.round((this.#scale.value(share) - min.toNumber()) / this.step.toNumber());
    return Math.min(this.count - 1, Math.max(0, index));
  }

  shareOf(coordinate: number): number {
    return this.#scale.share(this.bounds.min.toNumber() + coordinate * this.step.toNumber());
  }

  text(coordinate: number): string {
    return this.bounds.min.plus(this.step.times(coordinate)).toFixed();
  }

  coordinateOf(text: string): number | undefined {
    const index = numberOf(text)?.minus(this.bounds.min).div(this.step);
    return index?.isInteger() === true && index.gte(0) && index.lt(this.count) ? index.toNumber() : undefined;
  }
}

/** Any value between the bounds. */
class Range implements Dimension {
  readonly count = undefined;
  readonly ordered = true;
  readonly #scale: Scale;

  constructor(
    readonly name: string,
    private readonly bounds: Bounds,
  ) {
    const { min, max, isLog } = bounds;
    this.#scale = new Scale(min.toNumber(), max.toNumber(), isLog);
  }

  at(share: number): number {
    return share;
  }

  shareOf(coordinate: number): number {
    return coordinate;
  }

  text(coordinate: number): string {
    return new Decimal(this.#scale.value(coordinate)).toSignificantDigits(DIGITS).toFixed();
  }

  coordinateOf(text: string): number | undefined {
    const { min, max } = this.bounds;
    const value = numberOf(text);
    return value?.gte(min) === true && value.lte(max) ? this.#scale.share(value.toNumber()) : undefined;
  }
}

function numberOf(text: string): Decimal | undefined {
  return /^-?\d+(\.\d+)?$/.test(text) ? new Decimal(text) : undefined;
}

/** Shares of a range, linear or by logarithm. */
class Scale {
  constructor(
    private readonly low: number,
    private readonly high: number,
    private readonly isLog: boolean,
  ) {}

  value(share: number): number {
    const { low, high } = this;
    return this.isLog ? low * (high / low) ** share : low + share * (high - low);
  }

  share(value: number): number {
    const { low, high } = this;
    if (high === low) return 0.5;
    const share = this.isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.min(1 - Number.EPSILON, Math.max(0, share));
  }
}
