import { median } from '../statistics/returns/moments.ts';
import type { Dimension, Point } from './space.ts';

/** A trial as its surroundings are judged. */
interface PlacedTrial {
  readonly point: Point;
  /** The objective, larger is better; `undefined` without one, or if a constraint is missed. */
  readonly value: number | undefined;
}

/** How steep the surroundings of a trial are. */
export interface Surroundings {
  /**
   * The part of its lead over the median trial that its neighbors keep, on median: near 1 on a plateau; 0 or less on a spike, whose
   * neighbors are no better than any trial.
   */
  readonly kept: number;
  readonly neighbors: number;
  /** The distance of the farthest neighbor; the whole range of one parameter is 1. */
  readonly radius: number;
}

/** Neighbors are within this distance, where the whole range of a parameter is 1. Where few are, the nearest two for each parameter are. */
const NEAR = 0.1;
const FEWEST_PER_PARAMETER = 2;
/** More of the trials are no neighbors: their median would be that of all. */
const MOST = 1 / 3;
/** Distances that differ by less are equal: neighbors at one distance are all in or all out. */
const EQUAL = 1e-9;

/**
 * The surroundings of one trial among all. A neighbor without a value keeps nothing of the lead, as the median trial.
 * @returns undefined if the trial does not lead the median trial, or has no neighbors that are fewer than a third of all trials.
 */
export function surroundingsOf(
  trial: PlacedTrial,
  trials: readonly PlacedTrial[],
  dimensions: readonly Dimension[],
): Surroundings | undefined {
  const values = trials.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const middle = median(values);
  if (trial.value === undefined || middle === undefined || !(trial.value > middle)) return undefined;
  const here = positionsOf(trial.point, dimensions);
  const others = trials
    .filter((other) => other !== trial)
    .map(({ point, value = middle }) => ({ value, distance: distanceOf(here, positionsOf(point, dimensions), dimensions) }))
    .sort((a, b) => a.distance - b.distance || a.value - b.value);
  const varying = dimensions.filter(({ count }) => count !== 1).length;
  const fewest = others[FEWEST_PER_PARAMETER * varying - 1]?.distance;
  if (fewest === undefined) return undefined;
  const near = others.filter(({ distance }) => distance <= Math.max(NEAR, fewest) + EQUAL);
  if (near.length > MOST * trials.length) return undefined;
  return {
    kept: (median(near.map(({ value }) => value))! - middle) / (trial.value - middle),
    neighbors: near.length,
    radius: near.at(-1)!.distance,
  };
}

/** The place of each coordinate on its dimension, from 0 for the first value to 1 for the last one, on its scale. */
export function positionsOf(point: Point, dimensions: readonly Dimension[]): number[] {
  return dimensions.map((one, place) => positionOf(one, point[place]!));
}

/** The same of one dimension. One that has a single value has it in the middle. */
export function positionOf(dimension: Dimension, coordinate: number): number {
  const { count, ordered } = dimension;
  if (count === undefined) return coordinate;
  if (count === 1) return 0.5;
  if (!ordered) return coordinate / (count - 1);
  const [first, last] = [dimension.shareOf(0), dimension.shareOf(count - 1)];
  return (dimension.shareOf(coordinate) - first) / (last - first);
}

/** Two choices that differ are as far from each other as the ends of a range. */
function distanceOf(a: readonly number[], b: readonly number[], dimensions: readonly Dimension[]): number {
  return Math.hypot(...dimensions.map(({ ordered }, place) => (ordered ? a[place]! - b[place]! : Number(a[place] !== b[place]))));
}
