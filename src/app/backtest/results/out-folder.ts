import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import type { Fill } from '../../../model/fill.ts';
import type { DeniedRow } from '../../../report/run-report.ts';
import type { EquitySample } from '../../../state/drawdown.ts';
import type { Benchmark } from '../../../statistics/run-record.ts';
import type { RunRecorder } from '../recorders/run-recorder.ts';

/**
 * Makes the folder a run writes to: the given one, which must be absent or empty, or else the first free
 * `runs/<name>-<n>` of the current folder. Making it claims it: two runs at once get two folders.
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
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: is a file; expected a folder that is absent or empty`);
    const [first] = readdirSync(folder);
    if (first !== undefined) {
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: holds ${join(folder, first)}; expected a folder that is absent or empty`);
    }
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}

interface Tables {
  readonly recorder: RunRecorder;
  readonly equity: readonly EquitySample[];
  /** Absent without one. */
  readonly benchmark?: Benchmark | undefined;
  /** Of futures accounts: positions have sides, and there is funding. */
  readonly futures: boolean;
}

/**
 * Writes orders.csv, fills.csv, denied.csv, equity.csv, and of futures funding.csv. Times are epoch ms, money and
 * prices exact. What only some runs have stands in further columns at the end, and only there.
 */
export function writeTables(folder: string, { recorder, equity, benchmark, futures }: Tables): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('orders.csv', ordersCsv(recorder, futures));
  write('fills.csv', fillsCsv(recorder, futures || recorder.rates.converts));
  write('denied.csv', deniedCsv(recorder));
  write(
    'equity.csv',
    csvText(
      ['time', 'equity', 'drawdown', 'exposure', 'netExposure', ...(benchmark === undefined ? [] : ['benchmark'])],
      equity.map((point, index) => [
        ...[point.time, point.equity.toFixed(), point.drawdown, point.exposure, point.netExposure],
        ...(benchmark === undefined ? [] : [benchmark.equity[index]]),
      ]),
    ),
  );
  if (futures) write('funding.csv', fundingCsv(recorder));
}

function ordersCsv(recorder: RunRecorder, withSides: boolean): string {
  const header = [
    ...['time', 'endTime', 'strategy', 'symbol', 'side', 'type', 'timeInForce', 'price', 'stopPrice', 'quantity'],
    ...['filledQuantity', 'averagePrice', 'status', 'reason', 'tag', 'clientOrderId', 'orderId'],
    ...(withSides ? ['positionSide'] : []),
  ];
  return csvText(
    header,
    recorder
      .rows()
      .map((row) => [
        row.time,
        row.endTime,
        row.strategyId,
        row.symbol,
        row.side,
        row.type,
        row.timeInForce,
        row.price,
        row.stopPrice,
        row.quantity,
        row.filledQuantity,
        row.averagePrice,
        row.status,
        row.reason,
        row.tag,
        row.clientOrderId,
        row.orderId,
        ...(withSides ? [row.positionSide] : []),
      ]),
  );
}

function fillsCsv({ fills, rates: { rates } }: RunRecorder, withRates: boolean): string {
  const withNotional = fills.some((fill) => !isAtPrice(fill));
  const header = [
    ...['time', 'strategy', 'symbol', 'side', 'positionSide', 'quantity', 'price', 'fee', 'feeAsset', 'liquidity', 'tag'],
    ...['clientOrderId', 'orderId', 'decidedSequence', 'pricedSequence', 'pricedTime'],
    ...(withRates ? ['currencyRate'] : []),
    ...(withNotional ? ['notional'] : []),
  ];
  return csvText(
    header,
    fills.map((fill) => [
      fill.time,
      fill.strategyId,
      fill.symbol,
      fill.side,
      fill.positionSide,
      fill.instrument.step.toText(fill.steps),
      fill.instrument.tick.toText(fill.priceTicks),
      fill.fee.toFixed(),
      fill.feeAsset,
      fill.liquidity,
      fill.tag,
      fill.clientOrderId,
      fill.orderId,
      fill.decidedSequence,
      fill.pricedSequence,
      fill.pricedTime,
      ...(withRates ? [rates.get(fill)?.toFixed()] : []),
      ...(withNotional ? [fill.notional.toFixed()] : []),
    ]),
  );
}

/** A fill that a poller makes out of several has their notional, which no price on the tick need give. */
function isAtPrice({ instrument, priceTicks, steps, notional }: Fill): boolean {
  return notional.eq(instrument.tick.toDecimal(priceTicks).times(instrument.step.toDecimal(steps)));
}

function fundingCsv({ funding, rates: { rates } }: RunRecorder): string {
  return csvText(
    ['time', 'symbol', 'positionSide', 'quantity', 'rate', 'markPrice', 'amount', 'asset', 'currencyRate'],
    funding.map(({ charged }) => [
      charged.time,
      charged.instrument.symbol,
      charged.positionSide,
      charged.instrument.step.toText(charged.steps),
      charged.rate.toFixed(),
      charged.markPrice.toFixed(),
      charged.amount.toFixed(),
      charged.instrument.quote,
      rates.get(charged)?.toFixed(),
    ]),
  );
}

function deniedCsv(recorder: RunRecorder): string {
  return csvText(
    ['time', 'by', 'strategy', 'symbol', 'code', 'numbers', 'tag', 'clientOrderId'],
    recorder.denied.map(({ reason, ...row }) => {
      return [row.time, row.by, row.strategyId, row.symbol, reason.code, numbersText(reason), row.tag, row.clientOrderId];
    }),
  );
}

type Cell = string | number | undefined;

/** CSV text with a header line; cells with commas, quotes or line ends are quoted (RFC 4180). */
function csvText(header: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [header.join(',')];
  for (const row of rows) lines.push(row.map(cellText).join(','));
  return `${lines.join('\n')}\n`;
}

function cellText(cell: Cell): string {
  const text = cell === undefined ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

type Refusal = RunRecorder['denied'][number];

/** A reason's numbers as `name=value` texts. */
export function numbersText({ code: _, ...numbers }: Refusal['reason']): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Refusals of one strategy, symbol, side and code counted together, with the newest numbers; the most frequent first. */
export function deniedRows(denied: readonly Refusal[]): readonly DeniedRow[] {
  const rows = new Map<string, DeniedRow>();
  for (const { reason, strategyId, symbol, side, time } of denied) {
    const { code } = reason;
    const key = `${strategyId}/${symbol}/${side ?? ''}/${code}`;
    const known = rows.get(key);
    rows.set(key, {
      code,
      count: (known?.count ?? 0) + 1,
      example: numbersText(reason),
      strategy: strategyId,
      symbol,
      side,
      firstTime: known?.firstTime ?? time,
      lastTime: time,
    });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}

/** Refusals by code alone, the most frequent first. */
export function deniedByCode(denied: readonly Refusal[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of denied) counts[reason.code] = (counts[reason.code] ?? 0) + 1;
  return counts;
}
