import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { columns } from '../base/text.ts';
import { findLife, type IntentLife, Lives, type OrderLife, stepsOf } from './order-lives.ts';
import { type RunLine, type RunRecords, recordsAt } from './run-records.ts';

/** The options of `tidegate explain`. */
export interface ExplainOptions {
  readonly denied?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Explains the order or intent with an id, or with `denied` why intents were not executed.
 * @throws TidegateError USAGE, JOURNAL_FAILED, JOURNAL_DAMAGED, DATA_NOT_FOUND, DATA_CORRUPT
 */
export function runExplain(path: string, id: string | undefined, { denied = false, json = false }: ExplainOptions): string {
  if ((id === undefined) !== denied) throw new TidegateError('USAGE', 'expected either the id of an order or an intent, or --denied');
  const records = recordsAt(path);
  try {
    const lives = new Lives(records.lines());
    if (id === undefined) {
      const summary = notExecuted(lives);
      return json ? JSON.stringify({ source: records.source, ...summary }) : deniedText(records, summary);
    }
    const life = findLife(lives, id, records);
    const steps = stepsOf(life, lives);
    const head = lifeHead(life);
    return json ? JSON.stringify({ source: records.source, unit: records.unit, ...head, steps }) : lifeText(records, life, head, steps);
  } finally {
    records.close();
  }
}

function lifeHead(life: IntentLife | OrderLife) {
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
  { unit }: RunRecords,
  life: IntentLife | OrderLife,
  { strategy, intent, orders }: ReturnType<typeof lifeHead>,
  steps: ReturnType<typeof stepsOf>,
): string {
  const lines = [
    intent === null
      ? `without an intent: an exit, or an order of the engine`
      : `intent #${intent} (a ${unit} number) of strategy "${strategy}"`,
  ];
  for (const { clientOrderId, orderId, symbol, entry, exits } of orders) {
    lines.push(`order ${clientOrderId}${orderId === '' ? '' : ` (the exchange's ${orderId})`} of ${symbol}`);
    if (entry !== null) lines.push(`  an exit of ${entry}`);
    if (exits.length > 0) lines.push(`  its exits: ${exits.join(', ')}`);
  }
  if (orders.length === 0 && !('clientOrderId' in life) && life.denial === undefined) lines.push('no order was made of it');
  const start = steps[0]?.time ?? 0;
  const rows = steps.map(({ id, time, step, words }) => [`#${id}`, isoTime(time), `+${Math.round(time - start)} ms`, step, words]);
  return [...lines, '', columns(rows)].join('\n');
}

function deniedText({ source }: RunRecords, { intents, ways }: DeniedSummary): string {
  const head = `${source}: ${intents.toLocaleString('en-US')} intents to place or protect`;
  if (ways.length === 0) return `${head}; none was denied or rejected, or ended without a fill`;
  const numbers = (of: Readonly<Record<string, unknown>>) => Object.entries(of).map(([name, value]) => `${name} ${String(value)}`);
  const rows = ways.map(({ by, code, strategy, symbol, count, first, last, newest, numbers: of }) => {
    return [String(count), by, code, strategy, symbol, isoTime(first), isoTime(last), `#${newest}`, numbers(of).join(', ')];
  });
  return [head, '', columns([['count', 'by', 'reason', 'strategy', 'symbol', 'first', 'last', 'newest', 'its numbers'], ...rows])].join(
    '\n',
  );
}

/** One reason why intents were not executed. */
interface NotExecuted {
  /** `risk`: denied; `exchange`: rejected; `ended`: canceled or expired without a fill; `unknown`: the outcome is unknown. */
  readonly by: 'risk' | 'exchange' | 'ended' | 'unknown';
  readonly code: string;
  readonly strategy: string;
  readonly symbol: string;
  count: number;
  /** Epoch ms. */
  readonly first: number;
  last: number;
  /** The number of the newest intent, or of the newest record if there is no intent. */
  newest: number;
  /** The numbers of the newest one. */
  numbers: Readonly<Record<string, unknown>>;
}

interface DeniedSummary {
  /** The number of intents to place or protect. */
  readonly intents: number;
  readonly ways: readonly NotExecuted[];
}

/** Counts the reasons, the most frequent first. */
function notExecuted(lives: Lives): DeniedSummary {
  const ways = new Map<string, NotExecuted>();
  const add = (
    by: NotExecuted['by'],
    line: RunLine,
    code: string,
    numbers: object,
    of: { strategy: string; symbol: string },
    id: number,
  ) => {
    const key = `${by}/${code}/${of.strategy}/${of.symbol}`;
    const known = ways.get(key);
    const { strategy, symbol } = of;
    if (known === undefined) {
      ways.set(key, { by, code, strategy, symbol, count: 1, first: line.time, last: line.time, newest: id, numbers: { ...numbers } });
    } else Object.assign(known, { count: known.count + 1, last: line.time, newest: id, numbers: { ...numbers } });
  };
  const denied = (line: RunLine, id: number) => {
    const { code, ...numbers } = line.fields.reason as Record<string, unknown>;
    const { strategy, symbol } = line.fields as { strategy: string; symbol: string };
    add('risk', line, String(code), numbers, { strategy, symbol }, id);
  };
  for (const { denial, line } of lives.intents) if (denial !== undefined) denied(denial, line.id);
  for (const line of lives.ownDenials) denied(line, line.id);
  for (const order of lives.orders.values()) {
    const end = unfilledEnd(order);
    if (end === undefined) continue;
    add(end.by, end.line, end.code, end.numbers, order, order.intent?.line.id ?? end.line.id);
  }
  const placing = lives.intents.filter(({ intent }) => intent.kind === 'place' || intent.kind === 'protect');
  return { intents: placing.length, ways: [...ways.values()].sort((a, b) => b.count - a.count) };
}

/** How an order without a fill ended; `undefined` for an order with a fill, or one that is open. */
function unfilledEnd({ lines, fillIds }: OrderLife) {
  if (fillIds.size > 0) return undefined;
  for (const line of lines.toReversed()) {
    const { kind, fields } = line;
    if (kind === 'orderRejected' || kind === 'orderDenied') {
      const { code, ...numbers } = fields.reason as Record<string, unknown>;
      return { by: kind === 'orderRejected' ? 'exchange' : 'risk', line, code: String(code), numbers } as const;
    }
    if (kind === 'orderCanceled' || kind === 'orderExpired')
      return { by: 'ended', line, code: `${kind === 'orderCanceled' ? 'canceled' : 'expired'}: ${fields.reason}`, numbers: {} } as const;
    if (kind === 'orderVanished')
      return { by: 'ended', line, code: 'vanished: the exchange does not show it any more', numbers: {} } as const;
    if (kind === 'orderUnknown') return { by: 'unknown', line, code: 'no reply was received', numbers: {} } as const;
    if (kind === 'orderAccepted' || kind === 'orderTriggered') return undefined;
  }
  return undefined;
}
