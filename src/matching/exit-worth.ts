import { followPrice } from '../model/trail.ts';
import type { HeldExit } from '../ports/execution-venue.ts';

/** The state of an exit along one path. */
interface Leg extends HeldExit {
  triggerTicks: number;
  activateTicks: number | undefined;
}

/**
 * The result of an instrument's exits on one path, in ticks times steps, compared with holding everything to the end.
 *
 * - A stop fills at its trigger, which may trail the price; a take profit fills at its limit, once the price has gone `penetration`
 * ticks beyond. The first linked leg that fills ends the others.
 * - Exits together close no more than their strategy holds.
 * - The rest is valued at the last price of the path.
 *
 * Fees, slippage, latency, volume limits, entries and liquidations are left out.
 * @param path the price now, the two extremes in the order of this path, and the close.
 */
export function exitWorth(exits: readonly HeldExit[], path: readonly number[], penetration: number): number {
  const close = path.at(-1)!;
  let legs = exits.map((exit): Leg => ({ ...exit, activateTicks: exit.activateTicks }));
  const left = new Map(exits.map(({ holder, closable }) => [holder, closable]));
  let worth = 0;
  let from = path[0]!;
  for (const to of path.slice(1)) {
    const up = to > from;
    for (;;) {
      const next = nextLeg(legs, from, to, up, penetration);
      if (next === undefined) break;
      const { leg, at } = next;
      const steps = Math.min(leg.steps, left.get(leg.holder)!);
      worth += steps * (leg.side === 'sell' ? leg.triggerTicks - close : close - leg.triggerTicks);
      left.set(leg.holder, left.get(leg.holder)! - steps);
      legs = legs.filter((other) => other !== leg && (leg.link === undefined || other.link !== leg.link));
      from = at;
    }
    for (const leg of legs) followPrice(leg, leg.side, to);
    from = to;
  }
  return worth;
}

/** The first leg that fills on the way up (or down), and its price. */
function nextLeg(legs: readonly Leg[], from: number, to: number, up: boolean, penetration: number): { leg: Leg; at: number } | undefined {
  let found: { leg: Leg; at: number } | undefined;
  for (const leg of legs) {
    // A buy stop waits for a rise, and so does a sell limit.
    if (((leg.side === 'buy') === leg.isStop) !== up) continue;
    const beyond = leg.isStop ? 0 : penetration;
    const at = leg.triggerTicks + (up ? beyond : -beyond);
    // Several may have one price.
    const isOnTheWay = up ? at >= from && at <= to : at <= from && at >= to;
    if (isOnTheWay && (found === undefined || Math.abs(at - from) < Math.abs(found.at - from))) found = { leg, at };
  }
  return found;
}
