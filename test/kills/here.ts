import { BotJournal } from '../../src/journal/bot-journal.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { resumeState } from '../../src/state/apply.ts';
import { State } from '../../src/state/state.ts';

/** What a bot's journal says, counted event by event. */
export interface Here {
  /** The state that the next start would go on from. */
  readonly state: State;
  readonly submitted: ReadonlySet<string>;
  /** Client ids of orders whose request is in the journal, as often as it is. */
  readonly requested: ReadonlyMap<string, number>;
  /** Requests to which no answer is in the journal: most of them because the bot died. */
  readonly unanswered: number;
  readonly requests: number;
  /** How often each spot fill was counted. */
  readonly fills: ReadonlyMap<string, number>;
  /** Steps, by client id. */
  readonly filled: ReadonlyMap<string, number>;
  /** The event that ended each order. */
  readonly ends: ReadonlyMap<string, string>;
  readonly halts: readonly string[];
  readonly unexplained: readonly string[];
  readonly starts: number;
  readonly doubts: number;
}

const LEVERAGE = new Decimal(10);
/** The defaults of the config; what is compared does not depend on them. */
const MARGIN: MarginSettings = { mode: 'shared', separated: false, longLeverage: LEVERAGE, shortLeverage: LEVERAGE, autoAppend: false };

/** Reads the journal of a bot that has ended. */
export function readHere(path: string, bot: string, instruments: readonly Instrument[]): Here {
  const journal = BotJournal.open(path, { bot, now: () => 0, instruments });
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  const common = { currency: 'USDT', equityEveryMs: 3_600_000 };
  const margin = new Map(contracts.map(({ symbol }) => [symbol, MARGIN]));
  const account = contracts.length === 0 ? ({ kind: 'spot', ...common } as const) : ({ kind: 'futures', ...common, margin } as const);
  const state = new State(instruments, ['trader'], account);
  const submitted = new Set<string>();
  const requested = new Map<string, number>();
  const fills = new Map<string, number>();
  const filled = new Map<string, number>();
  const ends = new Map<string, string>();
  const halts: string[] = [];
  const unexplained: string[] = [];
  const sums = { requests: 0, replies: 0, starts: 0, doubts: 0 };
  const add = (sum: Map<string, number>, key: string, more: number) => sum.set(key, (sum.get(key) ?? 0) + more);
  const look = (event: AccountEvent) => {
    if (event.kind === 'orderSubmitted') submitted.add(event.clientOrderId);
    if (event.kind === 'orderUnknown') sums.doubts++;
    if (event.kind === 'orderFilled') {
      if (event.fill.instrument.contract === undefined) add(fills, event.fill.fillId, 1);
      add(filled, event.clientOrderId, event.fill.steps);
      if (event.complete) ends.set(event.clientOrderId, 'filled');
    }
    if (['orderCanceled', 'orderRejected', 'orderExpired', 'orderDenied'].includes(event.kind)) {
      const { clientOrderId } = event as { readonly clientOrderId: string };
      if (ends.get(clientOrderId) !== 'filled') ends.set(clientOrderId, event.kind);
    }
    if (event.kind === 'healthChanged' && event.condition === 'halted') halts.push(`${event.symbol}: ${event.reason}`);
    if (event.kind === 'positionFound') unexplained.push(`${event.steps} steps of ${event.instrument.symbol}`);
    if (event.kind === 'balanceChanged' && (event.entry?.reason === 'unexplained' || event.entry?.reason === 'foreign')) {
      unexplained.push(`${event.entry.reason} ${event.entry.fillId} of ${event.balance.asset}`);
    }
  };
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, value } of journal.records()) {
      if (kind === 'market') yield value as MarketEvent;
      if (kind === 'start') sums.starts++;
      if (kind === 'reply') sums.replies++;
      if (kind === 'request') {
        sums.requests++;
        const { operation, clientOrderIds } = value as { readonly operation: string; readonly clientOrderIds: readonly string[] };
        if (operation === 'batchOrders' || operation === 'triggerOrder') for (const id of clientOrderIds) add(requested, id, 1);
      }
      if (kind !== 'event') continue;
      const { event } = value as { readonly event: AccountEvent };
      look(event);
      yield event;
    }
  }
  resumeState(state, events());
  journal.close();
  const { requests, replies, starts, doubts } = sums;
  return { state, submitted, requested, unanswered: requests - replies, requests, fills, filled, ends, halts, unexplained, starts, doubts };
}
