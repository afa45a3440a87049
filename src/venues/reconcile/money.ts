import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Disappearance } from '../../model/reasons.ts';
import type { OrderLife } from './order-life.ts';
import type { TrackedOrder, TrackedOrders } from './order-record.ts';
import type { Asking, SeenFill } from './records.ts';
import type { Difference, ReconcileSettings, Resumed } from './settings.ts';
import type { Wallet } from './wallet.ts';

/**
 * How long a difference that no record explains must stay the same before it is accepted while the bot runs, in ms: a wrong answer may say so
 * for some time, and what it made of equity would outlast it.
 */
const ACCEPTED_MS = 20_000;

/** How long a difference must stay the same before it counts as unexplained, in ms. One that halts does so as soon as no record can be late. */
export function patienceMs({ visibilityLagMs, unexplained }: ReconcileSettings, isStarting: boolean): number {
  return unexplained === 'accept' && !isStarting ? Math.max(visibilityLagMs, ACCEPTED_MS) : visibilityLagMs;
}

/** The moment at which money is compared. */
export interface MoneyRound {
  /** The comparison of a start: it waits for nothing longer than records may be late. */
  readonly isStarting: boolean;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  /** Whether no request is on its way, and no order has an unknown outcome or is about to end. */
  isIdle(): boolean;
  /** Whether that is so for some time: a difference may count. */
  isCalm(): boolean;
  /** Epoch ms of the last request for fills. No fill explains a change long before that. */
  readonly fillsReadAt: number;
  /** Fills that have changed the account, and that are not booked yet. */
  readonly pending: readonly PendingFill[];
}

export type PendingFill = readonly [SeenFill, Instrument];

/** The evidence of the account's money about an order that no look-up finds. */
export interface Evidence {
  readonly mayHaveFilled: boolean;
  /** Its reservation is gone: less is reserved than an open order would need, or exactly as much less. */
  readonly isFreed: boolean;
  readonly reserved: Disappearance['reserved'];
}

/** The money of an account as records explain it, and its comparison with the exchange's figures. One kind for spot, one for contracts. */
export interface Money {
  /** As reported to the engine. */
  readonly wallet: Wallet;
  /** Restores it from the journal. */
  resume(resumed: Resumed): void;
  /** Ids of fills that belong to no order of ours, if the journal does not have them. */
  readonly fillsOfOthers?: readonly string[];
  /** The very first start: the exchange's figures are the baseline. @throws TidegateError START_REFUSED. */
  begin(): Asking;
  /** Books a fill of an order of ours. */
  settle(fill: Fill, seen: SeenFill): void;
  /** Books a fill of a foreign order: it changes the account and never a strategy's position. */
  settleForeign(seen: SeenFill, instrument: Instrument): void;
  /** Books a fill by which the exchange closed a position. */
  settleForced(seen: SeenFill, instrument: Instrument): void;
  /** Steps of a side that records explain; absent where there are no positions. */
  heldSteps?(instrument: Instrument, side: 'long' | 'short'): number;
  /** The id of the separated position that the exchange has closed by so many steps; `undefined` where positions have no id. */
  positionClosed?(instrument: Instrument, side: 'long' | 'short', steps: number): string | undefined;
  /** Reads the exchange's figures and compares. @returns the differences that were explained or accepted. */
  read(round: MoneyRound): Asking<readonly Difference[]>;
  evidenceOf(order: TrackedOrder): Asking<Evidence>;
  /** Whether everything that is known explains the exchange's figures of an instrument. */
  explains(instrument: Instrument): Asking<boolean>;
  /** Publishes the amounts that positions and open orders bind. */
  freeze(orders: readonly TrackedOrder[]): void;
  /** A difference in positions that a start finds, each of which halts its instrument. @param stick halts it until a reset. */
  foundAtStart?(resumed: Resumed, stick: (instrument: Instrument, reason: string) => void): readonly Difference[];
  /** The reason why money halts an instrument; `undefined` if there is none. */
  haltOf(instrument: Instrument): string | undefined;
  /** Figures must be read again soon, although no order is active. */
  readonly open: boolean;
  /** A fill has changed since the last answer what binds money. */
  readonly outdated?: boolean;
  /** A figure differs, and not for long enough to find the cause. */
  readonly waits: boolean;
  /** A person has allowed trading again: the present figures are accepted. */
  lift(): void;
}
