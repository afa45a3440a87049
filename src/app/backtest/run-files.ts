import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EquitySample } from '../../state/equity-curve.ts';
import { csvText } from './csv.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Writes orders.csv, fills.csv, denied.csv and equity.csv. Times are epoch ms, money and prices exact. */
export function writeTables(folder: string, recorder: RunRecorder, equity: readonly EquitySample[]): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('orders.csv', ordersCsv(recorder));
  write('fills.csv', fillsCsv(recorder));
  write('denied.csv', deniedCsv(recorder));
  write(
    'equity.csv',
    csvText(
      ['time', 'equity', 'drawdown'],
      equity.map((point) => [point.time, point.equity.toFixed(), point.drawdown]),
    ),
  );
}

function ordersCsv(recorder: RunRecorder): string {
  const header = [
    ...['time', 'endTime', 'strategy', 'symbol', 'side', 'type', 'timeInForce', 'price', 'stopPrice', 'quantity'],
    ...['filledQuantity', 'averagePrice', 'status', 'reason', 'tag', 'clientOrderId', 'orderId'],
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
      ]),
  );
}

function fillsCsv(recorder: RunRecorder): string {
  const header = [
    ...['time', 'strategy', 'symbol', 'side', 'positionSide', 'quantity', 'price', 'fee', 'feeAsset', 'liquidity', 'tag'],
    ...['clientOrderId', 'orderId', 'decidedSequence', 'pricedSequence', 'pricedTime'],
  ];
  return csvText(
    header,
    recorder.fills.map((fill) => [
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
    ]),
  );
}

function deniedCsv(recorder: RunRecorder): string {
  return csvText(
    ['time', 'by', 'strategy', 'symbol', 'code', 'numbers', 'tag', 'clientOrderId'],
    recorder.denied.map(({ reason, ...row }) => {
      const { code, ...numbers } = reason;
      const text = Object.entries(numbers)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ');
      return [row.time, row.by, row.strategyId, row.symbol, code, text, row.tag, row.clientOrderId];
    }),
  );
}
