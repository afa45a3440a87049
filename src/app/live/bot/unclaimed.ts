import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Position } from '../../../model/position.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import type { PlannedStrategy } from '../../planning/run-plans.ts';

type Strategies = readonly Pick<PlannedStrategy, 'id' | 'symbols'>[];

/** Positions and orders of an earlier run whose strategy, or whose symbol of that strategy, is not in the config. */
export interface Unclaimed {
  readonly strategyId: string;
  readonly instrument: Instrument;
  /** Sides that are not flat. */
  readonly positions: readonly Position[];
  readonly orders: readonly Order[];
}

/** Finds positions, open orders and held orders that no strategy of the config owns, so that even a kill would not close them. */
export function unclaimed(state: State, strategies: Strategies): Unclaimed[] {
  const symbolsOf = new Map(strategies.map(({ id, symbols }) => [id, symbols]));
  const open = [...state.openOrders.values()];
  const ids = new Set([...state.books.keys(), ...state.formerBooks.keys(), ...open.map(({ strategyId }) => strategyId)]);
  return [...ids].flatMap((strategyId) =>
    state.instruments
      .filter(({ symbol }) => symbolsOf.get(strategyId)?.includes(symbol) !== true)
      .map((instrument) => ({
        strategyId,
        instrument,
        positions: state
          .bookOf(strategyId)
          .sides(instrument)
          .filter(({ steps }) => steps !== 0),
        orders: open.filter((order) => order.strategyId === strategyId && order.instrument === instrument),
      }))
      .filter(({ positions, orders }) => positions.length + orders.length > 0),
  );
}

/**
 * Refuses a start that would leave a position or an order without its strategy.
 * @returns remainders that are too small for any order and do not prevent a start.
 * @throws TidegateError START_REFUSED where something would be left without its strategy.
 */
export function requireClaimed(state: State, strategies: Strategies): string[] {
  const ids = strategies.map(({ id }) => id);
  const [dust, wrong] = [[], []] as [string[], string[]];
  for (const one of unclaimed(state, strategies)) (isDust(one) ? dust : wrong).push(textOf(one, ids));
  if (wrong.length === 0) return dust;
  throw new TidegateError(
    'START_REFUSED',
    [
      'not started: the journal has positions or orders that no strategy of the config owns. Nothing would manage them, and a kill would not close them:',
      ...wrong.map((one) => `- ${one}`),
      'Put each strategy back into the config, with its id and its symbols. Or remove it safely: start with the old config, run `tidegate kill --flatten`, check',
      'with `tidegate status` that nothing is left, then run `tidegate reset` and `tidegate stop`. Or close and cancel at the exchange, and rename the journal.',
    ].join('\n'),
  );
}

/** Latches of strategies that are not in the config: they have no effect. @returns one line for each. */
export function idleLatches({ latches }: State, strategies: Strategies): string[] {
  return [...latches.values()].flatMap(({ rule, strategyId }) =>
    strategyId === undefined || strategies.some(({ id }) => id === strategyId)
      ? []
      : [
          `strategy "${strategyId}", which is not in the config, was latched by ${rule}: this has no effect; \`tidegate ${rule === 'paused' ? 'resume' : 'reset'}\` lifts it`,
        ],
  );
}

function isDust({ instrument, positions, orders }: Unclaimed): boolean {
  const { minQuantity } = instrument.spec;
  return (
    orders.length === 0 &&
    minQuantity !== undefined &&
    positions.every(({ steps }) => instrument.step.toDecimal(Math.abs(steps)).lt(minQuantity))
  );
}

function textOf({ strategyId, instrument, positions, orders }: Unclaimed, ids: readonly string[]): string {
  const { symbol, step } = instrument;
  const why = ids.includes(strategyId) ? 'which does not trade it any more' : 'which is not in the config';
  const held = positions.map(({ steps }) => `holds ${step.toText(steps)}`);
  const open = orders.map(
    (order) => `${order.held ? 'held' : 'open'} order ${order.clientOrderId} (${order.side} ${order.type} ${quantityOf(order)})`,
  );
  return `${symbol} of strategy "${strategyId}", ${why}: ${[...held, ...open].join(', ')}`;
}

function quantityOf({ request: { steps, quoteQuantity }, instrument }: Order): string {
  return steps === undefined ? `for ${quoteQuantity?.toFixed()} ${instrument.quote}` : instrument.step.toText(steps);
}
