import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { journalAt } from '../../journal/journal-reader.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { columns } from '../base/text.ts';
import { findLife, type IntentLife, Lives, type OrderLife, stepsOf, type ToldRun } from './lives.ts';
import { type DeniedSummary, notCarriedOut, toldByBacktest, toldByJournal } from './not-carried-out.ts';

export interface ExplainOptions {
  readonly denied?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * The life of what an id names, or with `denied` why intents were not carried out.
 * @throws TidegateError USAGE, JOURNAL_FAILED, JOURNAL_DAMAGED, DATA_NOT_FOUND, DATA_CORRUPT
 */
export function runExplain(path: string, id: string | undefined, { denied = false, json = false }: ExplainOptions): string {
  if ((id === undefined) !== denied) throw new TidegateError('USAGE', 'expected the id of an order or an intent, or --denied alone');
  const told = toldAt(path);
  try {
    const lives = new Lives(told.lines());
    if (id === undefined) {
      const summary = notCarriedOut(lives);
      return json ? JSON.stringify({ source: told.source, ...summary }) : deniedText(told, summary);
    }
    const life = findLife(lives, id, told);
    const steps = stepsOf(life, lives);
    const head = headOf(life);
    return json ? JSON.stringify({ source: told.source, unit: told.unit, ...head, steps }) : lifeText(told, life, head, steps);
  } finally {
    told.close();
  }
}

function toldAt(path: string): ToldRun {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && existsSync(join(path, 'summary.json'))) return toldByBacktest(path);
  return toldByJournal(journalAt(path));
}

function headOf(life: IntentLife | OrderLife) {
  const intent = 'clientOrderId' in life ? life.intent : life;
  const orders = 'clientOrderId' in life ? [life] : life.orders;
  return {
    strategy: life.strategy,
    intent: intent?.line.id ?? null,
    orders: orders.map(({ clientOrderId, orderId, symbol, entry, legs }) => ({
      clientOrderId,
      orderId,
      symbol,
      entry: entry ?? null,
      exits: [...legs],
    })),
  };
}

function lifeText(
  { unit }: ToldRun,
  life: IntentLife | OrderLife,
  { strategy, intent, orders }: ReturnType<typeof headOf>,
  steps: ReturnType<typeof stepsOf>,
): string {
  const lines = [
    intent === null
      ? `asked by no strategy: an exit, or the engine's own`
      : `intent #${intent} (a ${unit} number) of strategy "${strategy}"`,
  ];
  for (const { clientOrderId, orderId, symbol, entry, exits } of orders) {
    lines.push(`order ${clientOrderId}${orderId === '' ? '' : ` (the exchange's ${orderId})`} of ${symbol}`);
    if (entry !== null) lines.push(`  an exit of ${entry}`);
    if (exits.length > 0) lines.push(`  its exits: ${exits.join(', ')}`);
  }
  if (orders.length === 0 && !('clientOrderId' in life) && life.denial === undefined) lines.push('it became no order');
  const start = steps[0]?.time ?? 0;
  const rows = steps.map(({ id, time, step, words }) => [`#${id}`, isoTime(time), `+${Math.round(time - start)} ms`, step, words]);
  return [...lines, '', columns(rows)].join('\n');
}

function deniedText({ source }: ToldRun, { intents, ways }: DeniedSummary): string {
  const head = `${source}: ${intents.toLocaleString('en-US')} intents asked for orders`;
  if (ways.length === 0) return `${head}, and nothing was refused or ended unfilled`;
  const numbers = (of: Readonly<Record<string, unknown>>) => Object.entries(of).map(([name, value]) => `${name} ${String(value)}`);
  const rows = ways.map(({ by, code, strategy, symbol, count, first, last, newest, numbers: of }) => {
    return [String(count), by, code, strategy, symbol, isoTime(first), isoTime(last), `#${newest}`, numbers(of).join(', ')];
  });
  return [head, '', columns([['times', 'by', 'why', 'strategy', 'symbol', 'first', 'last', 'newest', 'its numbers'], ...rows])].join('\n');
}
