import type { Instrument } from '../../../model/instrument.ts';
import type { State } from '../../../state/state.ts';

/** What is left at the end, as summary.json has it: decimal text by name. */
export interface Holdings {
  readonly finalBalances: Readonly<Record<string, string>>;
  readonly finalPositions: Readonly<Record<string, string>>;
}

/**
 * Balances by asset (of a spot wallet beside futures as `spot:BTC`) and open positions by symbol: net and signed,
 * or `BTC-USDT-PERP:long` and `:short` where both are held side by side, never negative.
 */
export function holdingsOf(state: State): Holdings {
  const balances = [...state.portfolio.balances].map(([name, { total }]) => [name, total.toFixed()] as const);
  const positions = state.instruments.flatMap((instrument) =>
    state.sides(instrument).length > 1 ? sidesOf(state, instrument) : netOf(state, instrument),
  );
  return { finalBalances: Object.fromEntries(balances), finalPositions: Object.fromEntries(positions) };
}

type Held = readonly (readonly [name: string, quantity: string])[];

function netOf(state: State, instrument: Instrument): Held {
  const steps = state.heldSteps(instrument);
  return steps === 0 ? [] : [[instrument.symbol, instrument.step.toText(steps)]];
}

function sidesOf(state: State, instrument: Instrument): Held {
  return (['long', 'short'] as const).flatMap((side) => {
    const { steps } = state.position(instrument, side);
    return steps === 0 ? [] : [[`${instrument.symbol}:${side}`, instrument.step.toText(Math.abs(steps))] as const];
  });
}
