import { TidegateError } from '../../../model/errors.ts';
import { isStop } from '../../../model/order.ts';
import { listedGrid, listedSteps } from '../../../risk/listed-grid.ts';
import type { ReadonlyState, State } from '../../../state/state.ts';
import { unprotected } from '../../../state/unprotected.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { BotLog } from '../../terminal/bot-log.ts';
import { positionsOf } from './kill-report.ts';

/** A position that no stop protects while the bot does not run. */
interface Unguarded {
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent for a net position. */
  readonly side?: 'long' | 'short';
  readonly quantity: string;
  /** The trigger prices of its held stops, which do not work until the next start; empty without one. */
  readonly stops: readonly string[];
}

/** The positions of strategies without a stop at the exchange. Held stops work only while the engine runs. */
export function unguarded(state: ReadonlyState): Unguarded[] {
  return [...state.books].flatMap(([strategyId, book]) =>
    state.instruments.flatMap((instrument) => {
      const sides = book.sides(instrument);
      return sides.flatMap(({ steps }, index): Unguarded[] => {
        if (steps === 0) return [];
        const stops = [...state.openOrders.values()].filter(({ request, type, strategyId: owner }) => {
          if (owner !== strategyId || request.instrument !== instrument || !request.reduceOnly) return false;
          return isStop(type) && request.side === (steps > 0 ? 'sell' : 'buy');
        });
        // A trigger order at the exchange works without the bot.
        if (stops.some(({ held, untriggered }) => !held && untriggered)) return [];
        const held = stops.filter((one) => one.held);
        const side = sides.length === 1 ? {} : { side: index === 0 ? ('long' as const) : ('short' as const) };
        const triggers = held.map(({ stopTicks }) => (stopTicks === undefined ? 'trailing' : instrument.tick.toText(stopTicks)));
        return [{ strategyId, symbol: instrument.symbol, ...side, quantity: instrument.step.toText(Math.abs(steps)), stops: triggers }];
      });
    }),
  );
}

/** Logs the error that ended the run, and the positions that have no stop from now on. */
export function logFailure(error: unknown, state: ReadonlyState | undefined, log: Pick<BotLog, 'error'>): void {
  const positions = state === undefined ? [] : unguarded(state);
  const bare = positions.length === 0 ? '' : '; positions are WITHOUT THEIR STOP until the next start';
  const code = error instanceof TidegateError ? error.code : 'INTERNAL';
  const message = error instanceof Error ? error.message : String(error);
  log.error(`the bot ends with an error${bare}`, { code, error: message, ...(positions.length === 0 ? {} : { positions }) });
}

/** After a stop: logs the positions that no stop protects until the next start. */
export function logSleepers(state: ReadonlyState, onStop: BotPlan['onStop'], log: Pick<BotLog, 'warn'>): void {
  const positions = unguarded(state);
  const asleep = positions.filter(({ stops }) => stops.length > 0);
  if (asleep.length > 0) log.warn('held stops DO NOT WORK until the next start', { onStop, positions: asleep });
  const bare = positions.filter(({ stops }) => stops.length === 0);
  if (bare.length > 0) log.warn('positions have no stop', { onStop, positions: bare });
}

/** The positions that had an exit and have none, as entries of the health. */
export function unprotectedHealth(state: State): { subject: string; symbol: string; condition: string; reason: string }[] {
  return unprotected(state).map(({ strategyId, instrument: { symbol, step }, steps, exit }) => {
    const had = exit === 'stop' ? 'without its stop' : 'without its exit';
    const reason = `${step.toText(steps)} ${had}: it had one, and none is open; close the position, or let its strategy protect it again`;
    return { subject: `position of ${strategyId}`, symbol, condition: 'unprotected', reason };
  });
}

/** The parts of positions that no order can close, because the exchange takes larger steps than the config has, as entries of the health. */
export function unclosableHealth(state: State): { subject: string; symbol: string; condition: string; reason: string }[] {
  return positionsOf(state).flatMap(({ strategyId, instrument, steps }) => {
    const grid = listedGrid(instrument, state);
    const left = Math.abs(steps) - listedSteps(Math.abs(steps), grid);
    if (grid === undefined || left === 0) return [];
    const { symbol, step } = instrument;
    const sizes = `multiples of ${step.toText(grid.steps)}, at least ${step.toText(grid.leastSteps)}`;
    const reason = `${step.toText(left)} of ${step.toText(Math.abs(steps))} cannot be closed by an order: the exchange takes ${sizes}`;
    return [{ subject: `position of ${strategyId}`, symbol, condition: 'below the step', reason }];
  });
}

/** The quantities of unprotected positions, by `strategy symbol`. */
export function unprotectedQuantities(state: State): Record<string, string> {
  return Object.fromEntries(
    unprotected(state).map(({ strategyId, instrument: { symbol, step }, positionSide, steps }) => [
      `${strategyId} ${symbol}${positionSide === 'net' ? '' : `:${positionSide}`}`,
      step.toText(steps),
    ]),
  );
}
