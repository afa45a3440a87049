import type { AccountEvent } from '../../../model/account-events.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { PositionSide, Side } from '../../../model/order.ts';
import { isoTime } from '../../../model/time.ts';
import { heldSteps, ownSteps } from '../../../risk/measures.ts';
import type { State } from '../../../state/state.ts';

/** A quantity of one strategy on one side of an instrument, as text. */
interface Part {
  readonly strategy: string;
  readonly symbol: string;
  /** Absent for a net position. */
  readonly positionSide?: 'long' | 'short';
  readonly quantity: string;
}

/** The progress of a kill that flattens. */
export interface FlattenReport {
  /** The time of the kill's latch, epoch ms. */
  readonly since: number;
  /** The fills of its closes, in this process. */
  readonly closed: readonly ClosedPart[];
  /** Positions that the account still holds. */
  readonly standing: readonly (Part & { readonly why: string })[];
  /** Quantities that strategies hold by their fills, but the account does not: somebody else has sold or closed them. */
  readonly gone: readonly Part[];
}

/** A quantity that the fills of closes have closed. */
export type ClosedPart = Part & { readonly side: Side };

/** The tag of the orders with which a kill closes. */
const KILL = 'kill';

/** Sums the fills of the closes with one tag. */
export class ClosedFills {
  readonly #closed = new Map<string, { readonly strategy: string; readonly instrument: Instrument; readonly side: Side; steps: number }>();

  constructor(private readonly tag: string) {}

  /** Only later fills count. */
  begin(): void {
    this.#closed.clear();
  }

  take(event: AccountEvent): void {
    if (event.kind !== 'orderFilled' || event.fill.tag !== this.tag) return;
    const { strategyId: strategy, instrument, side, steps } = event.fill;
    const key = `${strategy}/${instrument.symbol}/${side}`;
    const before = this.#closed.get(key)?.steps ?? 0;
    this.#closed.set(key, { strategy, instrument, side, steps: before + steps });
  }

  get all(): ClosedPart[] {
    return [...this.#closed.values()].map(({ strategy, instrument, side, steps }) => ({
      strategy,
      symbol: instrument.symbol,
      side,
      quantity: instrument.step.toText(steps),
    }));
  }
}

/** Collects the fills of a kill that flattens. */
export class KillReport {
  readonly #closed = new ClosedFills(KILL);

  /** A kill begins: only later fills count. */
  begin(): void {
    this.#closed.begin();
  }

  take(event: AccountEvent): void {
    this.#closed.take(event);
  }

  /** @returns null unless a kill that flattens is in force. @param starting the exchange has not replied yet. */
  of(state: State, starting: boolean): FlattenReport | null {
    const latched = state.latches.get(KILL);
    if (latched?.flatten !== true) return null;
    const held = positionsOf(state);
    return {
      since: latched.time,
      closed: this.#closed.all,
      standing: held
        .filter(({ steps }) => steps !== 0)
        .map((one) => ({ ...partOf(one, one.steps), why: starting ? 'the exchange has not replied yet' : whyStanding(one, state) })),
      gone: held.filter(({ own, steps }) => own !== steps).map((one) => partOf(one, one.own - one.steps)),
    };
  }
}

/** A strategy's position on one side of an instrument: `own` by its fills, `steps` as far as the account has it. */
interface Held {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  readonly own: number;
  readonly steps: number;
}

/** All positions that strategies hold by their fills. */
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

/** Whether a kill that flattens is in force, and a position is open whose close has not been refused for good. */
export function isClosing(state: State): boolean {
  if (state.latches.get('kill')?.flatten !== true) return false;
  const refused = [...state.refusedExits.values()].filter(({ kind, exit }) => kind === 'exitRefused' && exit === 'flatten');
  const isRefused = ({ strategyId, instrument, positionSide }: Held) =>
    refused.some((one) => one.strategyId === strategyId && one.instrument === instrument && one.positionSide === positionSide);
  return positionsOf(state).some((held) => held.steps !== 0 && !isRefused(held));
}

function partOf({ strategyId, instrument, positionSide }: Held, steps: number): Part {
  const side = positionSide === 'net' ? {} : { positionSide };
  return { strategy: strategyId, symbol: instrument.symbol, ...side, quantity: instrument.step.toText(steps) };
}

function whyStanding({ strategyId, instrument, positionSide }: Held, state: State): string {
  const orders = [...state.openOrders.values()].filter((one) => one.strategyId === strategyId && one.instrument === instrument);
  const unknown = orders.find(({ status }) => status === 'unknown');
  if (unknown !== undefined) return `the outcome of order ${unknown.clientOrderId} is unknown: it may have closed a part`;
  if (orders.some(({ tag }) => tag === KILL)) return 'its closing order is open';
  const refused = state.refusedExits.get(`flatten/${instrument.symbol}/${positionSide}/${strategyId}`);
  if (refused !== undefined) return refusedText(refused);
  return orders.length > 0 ? 'its orders are still being canceled' : 'the bot tries again';
}

/** Describes a refused close or stop: final, or tried again at a time. */
export function refusedText(
  refused: { readonly code: string } & ({ readonly kind: 'exitRefused' } | { readonly kind: 'exitDelayed'; readonly retryAt: number }),
): string {
  const outside = refused.code === 'canceledOutside';
  if (refused.kind === 'exitRefused' && outside) return 'somebody canceled it at the exchange, and it is not placed again';
  if (outside && refused.kind === 'exitDelayed')
    return `somebody canceled it at the exchange; the bot places it again at ${isoTime(Math.floor(refused.retryAt))}`;
  if (refused.kind === 'exitRefused') return `refused by ${refused.code}, and not tried again`;
  return `refused by ${refused.code}; the bot tries again at ${isoTime(Math.floor(refused.retryAt))}`;
}

/** The report as rows of text, one for each part. */
export function reportRows({ closed, standing, gone }: FlattenReport): [string, string][] {
  const what = ({ symbol, positionSide, quantity }: Part) => `${quantity} ${symbol}${positionSide === undefined ? '' : ` ${positionSide}`}`;
  return [
    ...closed.map((one): [string, string] => ['closed', `${one.side} ${what(one)} (${one.strategy})`]),
    ...standing.map((one): [string, string] => ['NOT CLOSED', `${what(one)} (${one.strategy}): ${one.why}`]),
    ...gone.map((one): [string, string] => [
      'gone',
      `${what(one)} (${one.strategy}): the account does not hold it any more (a trade or transfer outside this bot removed it)`,
    ]),
  ];
}
