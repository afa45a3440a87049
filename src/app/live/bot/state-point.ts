import { createHash } from 'node:crypto';
import type { HeldSnapshot } from '../../../engine/held/held-memory.ts';
import { encode } from '../../../journal/codec.ts';
import type { StatePoint } from '../../../journal/journal-record.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Position } from '../../../model/position.ts';
import type { State } from '../../../state/state.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import type { CorePlan } from '../../planning/run-plans.ts';

interface StandingRun {
  readonly state: State;
  readonly held: HeldSnapshot;
  /** The saved state of strategies, by their ids. */
  readonly saves: ReadonlyMap<string, unknown>;
  readonly strategies: readonly Strategy[];
  /** The hash of the intents and denials so far. */
  readonly decisions: string;
}

/** Digits of a part's hash: enough to find the part that differs. The hash over all parts has its full length. */
const PART_DIGITS = 16;

/**
 * The state of a run as hashes, equal for every engine that received the same events. Taken at heartbeats and at the end,
 * never at an event.
 */
export function statePoint({ state, held, saves, strategies, decisions }: StandingRun): StatePoint {
  const { portfolio, markets, instruments, latches, health, openOrders, endedOrders, sequence } = state;
  const { drawdown } = portfolio;
  const parts: Record<string, unknown> = {
    prices: [sequence, markets.map(({ lastTicks, markTicks, fundingRate }) => [lastTicks, markTicks, fundingRate])],
    balances: sorted([...portfolio.balances].map(([key, { total, frozen }]) => [key, total, frozen])),
    positions: [
      positionsOf(instruments, (one) => state.sides(one)),
      ...[...state.books].map(([id, book]) => [id, positionsOf(instruments, (one) => book.sides(one))]),
    ],
    orders: [
      sorted(
        [...openOrders.values()].map((order) => {
          const {
            request,
            type,
            stopTicks,
            status,
            orderId,
            filledSteps,
            filledNotional,
            held: isHeld,
            cancelRequested,
            triggered,
          } = order;
          const at = [status, orderId, filledSteps, filledNotional, isHeld, cancelRequested, triggered];
          return [order.clientOrderId, request, type, stopTicks, at];
        }),
      ),
      [...endedOrders.values()].map(({ clientOrderId, status, filledSteps }) => `${clientOrderId} ${status} ${filledSteps}`).join('\n'),
    ],
    risk: [
      [portfolio.exactEquity(), drawdown.peak, drawdown.observed, drawdown.depth],
      sorted([...latches].map(([key, latched]) => [key, latched])),
      sorted([...health].map(([key, one]) => [key, one])),
      sorted([...state.ownEquities].map(([id, own]) => [id, own.drawdown.observed, own.drawdown.depth])),
    ],
    held: { ...held, flattening: sorted([...held.flattening]) },
    strategies: [saves, ...strategies.map((strategy) => [strategy.id, readableFields(strategy)])],
  };
  const hashes = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, digest(encode(part)).slice(0, PART_DIGITS)]));
  return { state: digest(encode(hashes)), parts: hashes, decisions };
}

function positionsOf(instruments: readonly Instrument[], sides: (one: Instrument) => readonly Position[]): unknown[] {
  return instruments.map((one) =>
    sides(one).map(({ steps, dust, cost, realizedProfit, funding }) => [steps, dust, cost, realizedProfit, funding]),
  );
}

/** Sorts entries by the text of their key, because maps keep the order of insertion. */
function sorted<T>(rows: T[]): T[] {
  const key = (row: T) => String(Array.isArray(row) ? row[0] : row);
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The fields that every strategy has or receives. */
const GIVEN = new Set(['id', 'symbols', 'references', 'params', 'account', 'log']);
/** Longer lists and maps are left out, so that hashing a strategy is cheap. */
const LONGEST = 1_000;

/** A strategy's own fields that are readable from outside and plain data: not `#private` fields, and not instances of its classes. */
function readableFields(strategy: Strategy): Record<string, unknown> {
  return Object.fromEntries(Object.entries(strategy).filter(([name, value]) => !GIVEN.has(name) && isReadable(value)));
}

function isReadable(value: unknown): boolean {
  if (typeof value === 'function' || (Array.isArray(value) && value.length > LONGEST)) return false;
  if (value instanceof Map && value.size > LONGEST) return false;
  try {
    encode(value);
    return true;
  } catch {
    return false;
  }
}

/** The plan, changed so that each new strategy is added to the list. */
export function knownStrategies<P extends CorePlan>(plan: P, made: Strategy[]): P {
  const strategies = plan.strategies.map((one): typeof one => ({
    ...one,
    create: (context) => {
      const strategy = one.create(context);
      made.push(strategy);
      return strategy;
    },
  }));
  return { ...plan, strategies };
}
