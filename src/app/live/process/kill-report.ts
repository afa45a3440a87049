import type { AccountEvent } from '../../../model/account-events.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { PositionSide, Side } from '../../../model/order.ts';
import { isoTime } from '../../../model/time.ts';
import { heldSteps, ownSteps } from '../../../risk/measures.ts';
import type { State } from '../../../state/state.ts';

/** Steps of one strategy on one side of an instrument, as text. */
interface Part {
  readonly strategy: string;
  readonly symbol: string;
  /** Absent where there is one net position. */
  readonly positionSide?: 'long' | 'short';
  readonly quantity: string;
}

/** What a kill that flattens has done so far. */
export interface FlattenReport {
  /** When the kill was latched, epoch ms. */
  readonly since: number;
  /** Filled by its closes, in this process. */
  readonly closed: readonly (Part & { readonly side: Side })[];
  /** Positions that the account still holds. */
  readonly standing: readonly (Part & { readonly why: string })[];
  /** What strategies hold by their fills, and the account does not: others have sold or closed it. */
  readonly gone: readonly Part[];
}

/** The tag of the orders by which a kill closes. */
const KILL = 'kill';

/** Follows what a kill that flattens closes. */
export class KillReport {
  readonly #closed = new Map<string, { readonly strategy: string; readonly instrument: Instrument; readonly side: Side; steps: number }>();

  /** A kill has come: what is closed counts from here. */
  begin(): void {
    this.#closed.clear();
  }

  take(event: AccountEvent): void {
    if (event.kind !== 'orderFilled' || event.fill.tag !== KILL) return;
    const { strategyId: strategy, instrument, side, steps } = event.fill;
    const key = `${strategy}/${instrument.symbol}/${side}`;
    const before = this.#closed.get(key)?.steps ?? 0;
    this.#closed.set(key, { strategy, instrument, side, steps: before + steps });
  }

  /** @returns nothing unless a kill that flattens is in force. @param starting the exchange has not been asked yet. */
  of(state: State, starting: boolean): FlattenReport | null {
    const latched = state.latches.get(KILL);
    if (latched?.flatten !== true) return null;
    const held = positionsOf(state);
    return {
      since: latched.time,
      closed: [...this.#closed.values()].map(({ strategy, instrument, side, steps }) => ({
        strategy,
        symbol: instrument.symbol,
        side,
        quantity: instrument.step.toText(steps),
      })),
      standing: held
        .filter(({ steps }) => steps !== 0)
        .map((one) => ({ ...partOf(one, one.steps), why: starting ? 'the exchange has not answered yet' : whyStanding(one, state) })),
      gone: held.filter(({ own, steps }) => own !== steps).map((one) => partOf(one, one.own - one.steps)),
    };
  }
}

/** A strategy's side of an instrument: by its fills, and as far as the account has it. */
interface Held {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  readonly own: number;
  readonly steps: number;
}

/** Every side of which a strategy holds something by its fills. */
export function positionsOf(state: State): Held[] {
  return [...state.books.keys()].flatMap((strategyId) =>
    state.instruments.flatMap((instrument) =>
      (state.sides(instrument).length === 1 ? (['net'] as const) : (['long', 'short'] as const)).flatMap((positionSide) => {
        const owned = { strategyId, instrument, positionSide };
        const own = ownSteps(owned, state);
        return own === 0 ? [] : [{ ...owned, own, steps: heldSteps(owned, state) }];
      }),
    ),
  );
}

function partOf({ strategyId, instrument, positionSide }: Held, steps: number): Part {
  const side = positionSide === 'net' ? {} : { positionSide };
  return { strategy: strategyId, symbol: instrument.symbol, ...side, quantity: instrument.step.toText(steps) };
}

function whyStanding({ strategyId, instrument, positionSide }: Held, state: State): string {
  const orders = [...state.openOrders.values()].filter((one) => one.strategyId === strategyId && one.instrument === instrument);
  const unknown = orders.find(({ status }) => status === 'unknown');
  if (unknown !== undefined) return `nobody knows yet what became of order ${unknown.clientOrderId}, which may have closed some of it`;
  if (orders.some(({ tag }) => tag === KILL)) return 'its close is on its way';
  const refused = state.refusedExits.get(`flatten/${instrument.symbol}/${positionSide}/${strategyId}`);
  if (refused !== undefined) return refusedText(refused);
  return orders.length > 0 ? 'its orders are still being canceled' : 'it is tried again';
}

/** Whether what was to close a position is tried again. */
export function refusedText(
  refused: { readonly code: string } & ({ readonly kind: 'exitRefused' } | { readonly kind: 'exitDelayed'; readonly retryAt: number }),
): string {
  if (refused.kind === 'exitRefused') return `refused for good by ${refused.code}`;
  return `refused by ${refused.code}, tried again at ${isoTime(Math.floor(refused.retryAt))}`;
}

/** The report for a person, a line a part. */
export function reportRows({ closed, standing, gone }: FlattenReport): [string, string][] {
  const what = ({ symbol, positionSide, quantity }: Part) => `${quantity} ${symbol}${positionSide === undefined ? '' : ` ${positionSide}`}`;
  return [
    ...closed.map((one): [string, string] => ['closed', `${one.side} ${what(one)} (${one.strategy})`]),
    ...standing.map((one): [string, string] => ['NOT CLOSED', `${what(one)} (${one.strategy}): ${one.why}`]),
    ...gone.map((one): [string, string] => [
      'gone',
      `${what(one)} (${one.strategy}): the account holds it no more (traded or moved by others)`,
    ]),
  ];
}
