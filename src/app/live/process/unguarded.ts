import { TidegateError } from '../../../model/errors.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { BotLog } from '../../terminal/bot-log.ts';

/** A position, and its stop while the bot does not run. */
interface Unguarded {
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent where there is one net position. */
  readonly side?: 'long' | 'short';
  readonly quantity: string;
  /** Triggers of the stops that the engine holds, which sleep until the next start; empty without one. */
  readonly stops: readonly string[];
}

/** Positions of strategies that no stop at the exchange guards: what the engine holds works only while it runs. */
export function unguarded(state: ReadonlyState): Unguarded[] {
  return [...state.books].flatMap(([strategyId, book]) =>
    state.instruments.flatMap((instrument) => {
      const sides = book.sides(instrument);
      return sides.flatMap(({ steps }, index): Unguarded[] => {
        if (steps === 0) return [];
        const stops = [...state.openOrders.values()].filter(({ request, type, strategyId: owner }) => {
          if (owner !== strategyId || request.instrument !== instrument || !request.reduceOnly) return false;
          return (type === 'stop' || type === 'stopLimit') && request.side === (steps > 0 ? 'sell' : 'buy');
        });
        // What waits at the exchange works there, whatever becomes of the bot.
        if (stops.some(({ held, untriggered }) => !held && untriggered)) return [];
        const held = stops.filter((one) => one.held);
        const side = sides.length === 1 ? {} : { side: index === 0 ? ('long' as const) : ('short' as const) };
        const triggers = held.map(({ stopTicks }) => (stopTicks === undefined ? 'trailing' : instrument.tick.toText(stopTicks)));
        return [{ strategyId, symbol: instrument.symbol, ...side, quantity: instrument.step.toText(Math.abs(steps)), stops: triggers }];
      });
    }),
  );
}

/** The run has ended with an error: one line says which, and what stands without a stop from here. */
export function logFailure(error: unknown, state: ReadonlyState | undefined, log: Pick<BotLog, 'error'>): void {
  const positions = state === undefined ? [] : unguarded(state);
  const standing = positions.length === 0 ? '' : '; positions stand WITHOUT THEIR STOP until the next start';
  const code = error instanceof TidegateError ? error.code : 'INTERNAL';
  const told = error instanceof Error ? error.message : String(error);
  log.error(`the bot ends with an error${standing}`, { code, error: told, ...(positions.length === 0 ? {} : { positions }) });
}

/** The bot has stopped as it was asked to: positions that nothing guards until the next start. */
export function logSleepers(state: ReadonlyState, onStop: BotPlan['onStop'], log: Pick<BotLog, 'warn'>): void {
  const positions = unguarded(state);
  const asleep = positions.filter(({ stops }) => stops.length > 0);
  if (asleep.length > 0) log.warn('stops that the engine holds SLEEP from now on, until the next start', { onStop, positions: asleep });
  const bare = positions.filter(({ stops }) => stops.length === 0);
  if (bare.length > 0) log.warn('positions stand without a stop', { onStop, positions: bare });
}
