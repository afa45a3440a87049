import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Rows } from '../../../model/columns.ts';
import { type Decimal, decimalOf, powerOfWhole, wholeOf } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { EquitySample } from '../../../state/equity-curve.ts';
import type { Benchmark } from '../../../statistics/run-record.ts';
import type { RoundTrip } from '../../../statistics/trades/trade.ts';
import { CsvFile } from '../../base/csv.ts';
import type { RunRecorder } from '../recorders/run-recorder.ts';

/**
 * Creates the folder of a run: the given one, which must be new or empty, or else the first free `runs/<name>-<n>` of the current
 * folder. Its creation reserves it: two simultaneous runs get two folders.
 * @throws TidegateError OUT_NOT_EMPTY
 */
export function makeOutFolder(name: string, given: string | undefined): string {
  if (given !== undefined) return makeGiven(resolve(given));
  mkdirSync('runs', { recursive: true });
  for (let n = 1; ; n++) {
    const folder = resolve('runs', `${name}-${n}`);
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function makeGiven(folder: string): string {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: this is a file; expected a new or empty folder`);
    const [first] = readdirSync(folder);
    if (first !== undefined) {
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: already contains ${join(folder, first)}; expected a new or empty folder`);
    }
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

interface TableParts {
  readonly recorder: Pick<RunRecorder, 'funding' | 'rates'>;
  /** In order of exit; absent if their table is there. */
  readonly trades?: Rows<RoundTrip> | undefined;
  readonly equity: readonly EquitySample[];
  /** Absent if the run has no benchmark. */
  readonly benchmark?: Benchmark | undefined;
  /** True for futures accounts: there is funding. */
  readonly futures: boolean;
}

/** Writes trades.csv, equity.csv, and for futures funding.csv. Times are epoch ms, money is exact. */
export function writeTables(folder: string, { recorder, trades, equity, benchmark, futures }: TableParts): void {
  if (trades !== undefined) writeTrades(folder, trades);
  writeEquity(join(folder, 'equity.csv'), equity, benchmark);
  if (futures) writeFunding(join(folder, 'funding.csv'), recorder);
}

const TRADE_COLUMNS = [
  ...['strategy', 'symbol', 'side', 'entryTime', 'exitTime', 'durationMs', 'maxQuantity', 'entryQuantity', 'entryPrice', 'exitQuantity'],
  ...[
    'exitPrice',
    'entryValue',
    'fees',
    'funding',
    'profitBeforeCosts',
    'netProfit',
    'returnOnEntry',
    'mae',
    'mfe',
    'maeShare',
    'mfeShare',
  ],
  ...['tag', 'exitTag', 'exitReason', 'fills', 'pathFills', 'group'],
] as const;

/** trades.csv while its rows are added, in order of exit. */
export class TradeTable {
  readonly #file: CsvFile;

  constructor(folder: string) {
    this.#file = new CsvFile(join(folder, 'trades.csv'), TRADE_COLUMNS);
  }

  /** Reads each amount once, because reading may make a new decimal. */
  add(trade: RoundTrip): void {
    const { entryQuantity, exitQuantity, entryValue, fees, funding, netProfit, mae, mfe } = trade;
    const row = this.#file.text(trade.strategyId).text(trade.symbol).text(trade.side);
    row.number(trade.entryTime).number(trade.exitTime).number(trade.holdingMs);
    row.amount(trade.maxQuantity).amount(entryQuantity).amount(averagePrice(trade.entryNotional, entryQuantity));
    row.amount(exitQuantity).amount(averagePrice(trade.exitNotional, exitQuantity));
    row.amount(entryValue).amount(fees).amount(funding).amount(netProfit.plus(fees).minus(funding)).amount(netProfit);
    row.number(trade.returnOnEntry).amount(mae).amount(mfe).number(trade.maeShare).number(trade.mfeShare);
    row.text(trade.tag).text(trade.exitTag).text(trade.exitReason).number(trade.fills).number(trade.pathFills);
    row.text(trade.group ?? '').end();
  }

  close(): void {
    this.#file.close();
  }
}

/** Average prices have this many digits at most, as in orders.csv. */
const PRICE_DIGITS = 20;

/** An average price. Most are exact with a few digits, which whole numbers give faster than a division of decimals. */
export function averagePrice(notional: Decimal, quantity: Decimal): Decimal {
  const ofNotional = wholeOf(notional);
  const power = powerOfWhole();
  const by = wholeOf(quantity);
  const shift = power - powerOfWhole();
  for (let zeros = 0, whole = ofNotional; Number.isSafeInteger(whole); zeros++, whole *= 10)
    if (whole % by === 0) return decimalOf(whole / by, shift - zeros);
  return notional.div(quantity).toSignificantDigits(PRICE_DIGITS);
}

function writeTrades(folder: string, trades: Rows<RoundTrip>): void {
  const table = new TradeTable(folder);
  for (const trade of trades) table.add(trade);
  table.close();
}

function writeEquity(path: string, equity: readonly EquitySample[], benchmark: Benchmark | undefined): void {
  const file = new CsvFile(path, [
    ...['time', 'cash', 'positions', 'equity', 'peak', 'drawdown', 'exposure', 'netExposure', 'unprotected'],
    ...(benchmark === undefined ? [] : ['benchmark']),
  ]);
  for (const [index, { time, cash, equity: value, peak, drawdown, exposure, netExposure, unprotected }] of equity.entries()) {
    file.number(time).amount(cash).amount(value.minus(cash)).amount(value).number(peak).number(drawdown).number(exposure);
    file.number(netExposure).number(unprotected);
    if (benchmark !== undefined) file.number(benchmark.equity[index]);
    file.end();
  }
  file.close();
}

function writeFunding(path: string, { funding, rates: { rates } }: TableParts['recorder']): void {
  const file = new CsvFile(path, [
    ...['time', 'symbol', 'positionSide', 'quantity', 'rate', 'markPrice', 'amount', 'asset', 'currencyRate'],
  ]);
  for (const { charged } of funding) {
    const { time, instrument, positionSide, steps, rate, markPrice, amount } = charged;
    file
      .number(time)
      .text(instrument.symbol)
      .text(positionSide)
      .units(instrument.step, steps)
      .amount(rate)
      .amount(markPrice)
      .amount(amount);
    file.text(instrument.quote).amount(rates.get(charged)).end();
  }
  file.close();
}
