import { parse } from 'yaml';
import { RecordedJournal } from '../../journal/journal-reader.ts';
import type { RecordKind } from '../../journal/journal-record.ts';
import type { AccountEvent, OrderDenied, PositionFound } from '../../model/account-events.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { Instrument, tradableOf } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import { resumeState } from '../../state/apply.ts';
import { State } from '../../state/state.ts';
import type { Absence, AccountMove, ComparedFill, ComparedOrder, ComparedRun } from '../../statistics/comparison/compared-run.ts';
import { CoverageBuilder, type PriceCoverage } from '../../statistics/comparison/price-coverage.ts';
import { accountMoveOf } from '../backtest/recorders/run-recorder.ts';
import { endPricesOf } from '../backtest/results/account-file.ts';
import { referenceSymbols } from '../config/account-settings.ts';
import type { SoundSections } from '../config/schema/schema.ts';
import { runsIn } from '../run-folders/journal-state.ts';
import { setupOfBot } from '../run-folders/read-setup.ts';

/** The time between two points of the equity curve, in ms. */
const EQUITY_EVERY_MS = 60_000;

/**
 * Reads a paper or live run from its journal: all actions of the bot, over all its starts.
 * @param currency the currency of equity; default: the quote asset of its trades.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, USAGE if the currency is ambiguous, DATA_INVALID where it has no price
 */
export function readBot(path: string, name: string, currency?: string): ComparedRun {
  const journal = RecordedJournal.open(path);
  try {
    return botRunOf(journal, name, currency);
  } finally {
    journal.close();
  }
}

function botRunOf(journal: RecordedJournal, name: string, stated: string | undefined): ComparedRun {
  const { ids, started } = runsIn(journal.records());
  const references = started?.config === undefined ? new Set() : referenceSymbols(parse(started.config.text) as SoundSections);
  const instruments = journal.instruments().map((one) => (references.has(one.symbol) ? asReference(one) : one));
  const currency = stated ?? quoteOf(journal.path, tradableOf(instruments));
  const state = stateOf(instruments, ids, currency);
  const orders = new BotOrders();
  const moves: AccountMove[] = [];
  const coverage = new CoverageRecorder();
  const absences = new AbsenceRecorder();
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, value, time } of journal.records()) {
      absences.pass(kind, time);
      if (kind === 'market') {
        coverage.add(value);
        yield value;
      } else if (kind === 'event') {
        const { event } = value;
        orders.add(event);
        absences.add(event);
        const move = event.kind === 'balanceChanged' ? accountMoveOf(event) : undefined;
        if (move !== undefined) moves.push(move);
        yield event;
      }
    }
  }
  resumeState(state, events());
  const { portfolio } = state;
  portfolio.finish(state.time);
  return {
    name,
    currency,
    finalEquity: portfolio.exactEquity(),
    quotes: new Map(instruments.map(({ symbol, quote }) => [symbol, quote])),
    end: endPricesOf(state),
    orders: [...orders.orders].sort((a, b) => a.time - b.time),
    moves,
    coverage: coverage.coverage(),
    absences: absences.absences(),
    equity: portfolio.curve.samples,
    setup: setupOfBot(started),
  };
}

/** The account of a bot: a futures account if it trades contracts, else spot. The margin settings have no effect on equity. */
function stateOf(instruments: readonly Instrument[], strategies: readonly string[], currency: string): State {
  const contracts = tradableOf(instruments).filter(({ contract }) => contract !== undefined);
  const one = new Decimal(1);
  const margin = { mode: 'shared', separated: false, longLeverage: one, shortLeverage: one, autoAppend: false } as const;
  return new State(instruments, strategies, {
    kind: contracts.length > 0 ? 'futures' : 'spot',
    currency,
    equityEveryMs: EQUITY_EVERY_MS,
    margin: contracts.length > 0 ? new Map(contracts.map(({ symbol }) => [symbol, margin])) : undefined,
  });
}

function asReference({ index, spec }: Instrument): Instrument {
  return new Instrument(index, { ...spec, reference: true });
}

function quoteOf(path: string, instruments: readonly Instrument[]): string {
  const quotes = [...new Set(instruments.map(({ quote }) => quote))];
  if (quotes.length === 1) return quotes[0]!;
  const what = quotes.length === 0 ? 'nothing' : quotes.join(' and ');
  throw new TidegateError('USAGE', `${path}: the bot trades against ${what}: set the currency of the comparison with --currency`);
}

/** The times at which a bot received prices of each symbol. */
class CoverageRecorder {
  readonly #builders = new Map<string, CoverageBuilder>();

  /** Adds an event. No order fills at marks or funding, so they do not count. */
  add({ kind, symbol, time }: MarketEvent): void {
    if (kind === 'mark' || kind === 'funding') return;
    const builder = this.#builders.get(symbol) ?? new CoverageBuilder();
    this.#builders.set(symbol, builder);
    builder.add(time);
  }

  /** By symbol, for symbols with prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#builders].map(([symbol, builder]) => [symbol, builder.coverage()!]));
  }
}

/** When a bot was killed, and when its process did not run. A journal shows a process from its `run` record to its last record. */
class AbsenceRecorder {
  readonly #ended: Absence[] = [];
  /** Epoch ms since which no process runs. */
  #goneAt: number | undefined = Number.NEGATIVE_INFINITY;
  #lastTime = Number.NEGATIVE_INFINITY;
  #killedAt: number | undefined;

  /** Takes the time of a record of any kind. */
  pass(kind: RecordKind, time: number): void {
    if (kind === 'run') {
      this.#ended.push({ cause: 'stopped', from: this.#goneAt ?? this.#lastTime, to: time });
      this.#goneAt = undefined;
    } else if (kind === 'stop') this.#goneAt = time;
    this.#lastTime = Math.max(this.#lastTime, time);
  }

  add(event: AccountEvent): void {
    if (event.kind === 'riskLatched' && event.rule === 'kill') this.#killedAt ??= event.time;
    if (event.kind === 'latchReset' && event.rule === 'kill' && this.#killedAt !== undefined) {
      this.#ended.push({ cause: 'killed', from: this.#killedAt, to: event.time });
      this.#killedAt = undefined;
    }
  }

  absences(): readonly Absence[] {
    const end = Number.POSITIVE_INFINITY;
    const killed: Absence[] = this.#killedAt === undefined ? [] : [{ cause: 'killed', from: this.#killedAt, to: end }];
    const gone: Absence = { cause: 'stopped', from: this.#goneAt ?? this.#lastTime, to: end };
    return [...this.#ended, ...killed, gone].sort((a, b) => a.from - b.from);
  }
}

type Writable = { -readonly [Key in keyof ComparedOrder]: ComparedOrder[Key] } & { fills: ComparedFill[] };

/** Collects the orders of a journal with their fills and ends, event by event. */
class BotOrders {
  readonly #orders: Writable[] = [];
  readonly #byId = new Map<string, Writable>();

  /** In order of time. */
  get orders(): readonly ComparedOrder[] {
    return this.#orders;
  }

  add(event: AccountEvent): void {
    switch (event.kind) {
      case 'orderSubmitted':
        if (!this.#byId.has(event.clientOrderId)) this.#place(event.request, event.time, { type: event.type, stopTicks: event.stopTicks });
        return;
      case 'orderAdopted':
        this.#place(event.request, event.time, { type: event.request.type, stopTicks: undefined }).foreign = true;
        return;
      case 'orderFilled':
        this.#fill(event);
        return;
      case 'orderCanceled':
      case 'orderExpired':
        this.#end(event.clientOrderId, event.kind === 'orderCanceled' ? 'canceled' : 'expired', event.reason);
        return;
      case 'orderVanished':
        this.#end(event.clientOrderId, 'vanished', 'vanished');
        return;
      case 'orderRejected':
        this.#end(event.clientOrderId, 'rejected', event.reason.code);
        return;
      case 'orderDenied':
        this.#deny(event);
        return;
      case 'positionFound':
        this.#find(event);
        return;
      default:
    }
  }

  #place(request: OrderRequest, time: number, { type, stopTicks }: { type: string; stopTicks: number | undefined }): Writable {
    const { clientOrderId, strategyId, instrument, side, positionSide, tag, steps, priceTicks } = request;
    const { symbol, tick, step } = instrument;
    const price = priceTicks === undefined ? '' : tick.toText(priceTicks);
    const order: Writable = {
      ...{ clientOrderId, strategyId, symbol, side, positionSide, type, tag, time },
      quantity: steps === undefined ? undefined : step.toDecimal(steps),
      price: stopTicks === undefined ? price : `${price} after ${tick.toText(stopTicks)}`,
      ...{ status: 'open', reason: '', foreign: false, fills: [] },
    };
    return this.#keep(order);
  }

  #fill({ clientOrderId, fill, complete }: Extract<AccountEvent, { kind: 'orderFilled' }>): void {
    const { strategyId, symbol, side, positionSide, tag, time, instrument, steps, notional, fee, feeAsset } = fill;
    const order =
      this.#byId.get(clientOrderId) ??
      this.#keep({
        ...{ clientOrderId, strategyId, symbol, side, positionSide, tag, time },
        ...{ type: 'liquidation', quantity: undefined, price: '', status: 'open', reason: '', foreign: false, fills: [] },
      });
    order.fills.push({ time, quantity: instrument.step.toDecimal(steps), notional, fee, feeAsset });
    if (complete) order.status = 'filled';
  }

  #deny({ clientOrderId, strategyId, symbol, side, tag, time, reason }: OrderDenied): void {
    if (this.#byId.has(clientOrderId)) {
      this.#end(clientOrderId, 'denied', reason.code);
      return;
    }
    this.#keep({
      ...{ clientOrderId, strategyId, symbol, side, positionSide: 'net', type: '', tag, time },
      ...{ quantity: undefined, price: '', status: 'denied', reason: reason.code, foreign: false, fills: [] },
    });
  }

  /** A trade of somebody else on a contract: it is visible only as a change of the position. */
  #find({ instrument, positionSide, action, steps, notional, time }: PositionFound): void {
    const { symbol, step, quote } = instrument;
    const side: Side = (positionSide === 'long') === (action === 'opened') ? 'buy' : 'sell';
    const quantity = step.toDecimal(steps);
    this.#keep({
      ...{ clientOrderId: '', strategyId: '', symbol, side, positionSide, type: 'found', tag: '', time, quantity },
      ...{ price: '', status: 'filled', reason: '', foreign: true, fills: [{ time, quantity, notional, fee: ZERO, feeAsset: quote }] },
    });
  }

  #end(clientOrderId: string, status: string, reason: string): void {
    const order = this.#byId.get(clientOrderId);
    if (order === undefined) return;
    order.status = status;
    order.reason = reason;
  }

  #keep(order: Writable): Writable {
    this.#orders.push(order);
    if (order.clientOrderId !== '') this.#byId.set(order.clientOrderId, order);
    return order;
  }
}
