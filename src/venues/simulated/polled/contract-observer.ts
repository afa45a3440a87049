import type { MatchingEngine } from '../../../matching/matching-engine.ts';
import type { SimulatedAccount } from '../../../matching/simulated-account.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import type { VenueEvent } from '../../../model/order-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PollSettings } from './exchange-records.ts';

/**
 * What becomes of contracts, as somebody finds it out who can only ask. The exchange lists no fills of them: they follow from
 * differences of the account, by rules that are the bot's own, and that the wiring brings along.
 */
export interface ContractObserver {
  /** The account stands as it does at the start: differences go on from here. */
  begin(): void;
  /** Takes what the account of the simulated exchange tells of contracts; nobody hears of it before a look. */
  take(event: VenueEvent): void;
  /** Requests leave through `send`, one an order, and so do those of cancels. */
  submit(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at the account, request by request, where others leave between them; `full`: at everything. */
  look(full: boolean): Iterator<void, void>;
  /** Epoch ms at which the next look is due beside the grid; `Infinity` where none. */
  readonly nextDue: number;
  /** Something is seen and not told yet: whose it is, or whether there is more of it, a later look will say. */
  readonly waits: boolean;
  /** The run is over: what still works is told as expired. */
  finish(): void;
}

export interface ContractObserverParts {
  readonly clock: Clock;
  readonly settings: PollSettings;
  /** Of the run, contracts and others. */
  readonly instruments: readonly Instrument[];
  readonly matching: MatchingEngine;
  readonly account: SimulatedAccount;
  tell(event: VenueEvent): void;
  /** Requests leave one after another. @param request tells whether there was a reply. */
  send(request: () => boolean): void;
}

export type ObserveContracts = (parts: ContractObserverParts) => ContractObserver;
