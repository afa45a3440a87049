import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RecordedJournal } from '../../journal/journal-reader.ts';
import type { JournalRecord } from '../../journal/journal-record.ts';
import type { AccountEvent } from '../../model/account-events.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { resumeState } from '../../state/apply.ts';
import { State } from '../../state/state.ts';
import type { AccountMove, ComparedRun } from '../../statistics/comparison/compared-run.ts';
import { CoverageBuilder, type PriceCoverage } from '../../statistics/comparison/price-coverage.ts';
import { accountMoveOf } from '../backtest/recorders/run-recorder.ts';
import { endPricesOf } from '../backtest/results/account-file.ts';
import { BotOrders, readBacktest } from './bot-orders.ts';

/** When a bot saw prices of each symbol. */
class CoverageRecorder {
  readonly #builders = new Map<string, CoverageBuilder>();

  /** Marks and funding are no prices that anything fills at. */
  add({ kind, symbol, time }: MarketEvent): void {
    if (kind === 'mark' || kind === 'funding') return;
    const builder = this.#builders.get(symbol) ?? new CoverageBuilder();
    this.#builders.set(symbol, builder);
    builder.add(time);
  }

  /** By symbol, of those that had prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#builders].map(([symbol, builder]) => [symbol, builder.coverage()!]));
  }
}

/** Between two points of the equity that is drawn. */
const EQUITY_EVERY_MS = 60_000;

/**
 * A paper or live run out of its journal: all that the bot did, over all its starts.
 * @param currency what equity is counted in; left out, the quote of what it traded.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, USAGE where no currency can be told, DATA_INVALID where no price came
 */
function readBot(path: string, name: string, currency?: string): ComparedRun {
  const journal = RecordedJournal.open(path);
  try {
    return runOf(journal, name, currency ?? quoteOf(journal));
  } finally {
    journal.close();
  }
}

function runOf(journal: RecordedJournal, name: string, currency: string): ComparedRun {
  const instruments = journal.instruments();
  const state = stateOf(instruments, strategyIds(journal.records()), currency);
  const orders = new BotOrders();
  const moves: AccountMove[] = [];
  const coverage = new CoverageRecorder();
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, value } of journal.records()) {
      if (kind === 'market') {
        coverage.add(value);
        yield value;
      } else if (kind === 'event') {
        const { event } = value;
        orders.add(event);
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
    equity: portfolio.curve.samples,
  };
}

/** Whoever trades contracts has a futures account, and no account of a bot is netting. Margins move no equity: any will do. */
function stateOf(instruments: readonly Instrument[], strategies: readonly string[], currency: string): State {
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  const one = new Decimal(1);
  const margin = { mode: 'shared', separated: false, longLeverage: one, shortLeverage: one, autoAppend: false } as const;
  return new State(instruments, strategies, {
    kind: contracts.length > 0 ? 'futures' : 'spot',
    currency,
    equityEveryMs: EQUITY_EVERY_MS,
    margin: contracts.length > 0 ? new Map(contracts.map(({ symbol }) => [symbol, margin])) : undefined,
  });
}

function strategyIds(records: Iterable<JournalRecord>): string[] {
  const ids = new Set<string>();
  for (const { kind, value } of records) {
    if (kind === 'intent') ids.add(value.strategyId);
    if (kind !== 'event') continue;
    const { event } = value;
    if (event.kind === 'orderSubmitted' || event.kind === 'orderAdopted') ids.add(event.request.strategyId);
  }
  return [...ids];
}

function quoteOf(journal: RecordedJournal): string {
  const quotes = [...new Set(journal.instruments().map(({ quote }) => quote))];
  if (quotes.length === 1) return quotes[0]!;
  const what = quotes.length === 0 ? 'nothing' : quotes.join(' and ');
  throw new TidegateError('USAGE', `${journal.path}: trades against ${what}: say with --currency what equity is counted in`);
}

const JOURNAL = 'journal.sqlite';

/** Reads the two runs of a comparison; a bot is counted in the currency of the backtest beside it, unless one is named. */
export function readRuns(a: string, b: string, currency: string | undefined): [ComparedRun, ComparedRun] {
  if (journalOf(a) === undefined) {
    const first = readBacktest(a);
    return [first, readRun(b, currency ?? first.currency)];
  }
  const second = readRun(b, currency);
  return [readRun(a, currency ?? second.currency), second];
}

/** @throws TidegateError DATA_NOT_FOUND where there is no run. */
function readRun(path: string, currency: string | undefined): ComparedRun {
  const journal = journalOf(path);
  return journal === undefined ? readBacktest(path) : readBot(journal, path, currency);
}

/** The journal of a bot's folder, or the one that a path names; `undefined` for a backtest's folder. */
function journalOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new TidegateError('DATA_NOT_FOUND', `${path}: is not there; expected ${EXPECTED}`);
  if (found.isFile()) return path;
  if (existsSync(join(path, JOURNAL))) return join(path, JOURNAL);
  if (existsSync(join(path, 'summary.json'))) return undefined;
  throw new TidegateError('DATA_NOT_FOUND', `${path}: holds neither summary.json nor ${JOURNAL}; expected ${EXPECTED}`);
}

const EXPECTED = 'the folder of a backtest, such as runs/sma-cross-1, or of a bot, such as runs/sma-cross-paper';
