import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { columns } from '../base/text.ts';
import { findLife, type IntentLife, Lives, type OrderLife, stepsOf } from './order-lives.ts';
import { type ToldLine, type ToldRun, toldAt } from './run-records.ts';

export interface ExplainOptions {
  readonly denied?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Explains the order or intent that an id names, or with `denied` why intents were not carried out.
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
    const head = lifeHead(life);
    return json ? JSON.stringify({ source: told.source, unit: told.unit, ...head, steps }) : lifeText(told, life, head, steps);
  } finally {
    told.close();
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
  { unit }: ToldRun,
  life: IntentLife | OrderLife,
  { strategy, intent, orders }: ReturnType<typeof lifeHead>,
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

/** Why intents were not carried out, one way of them. */
interface NotCarriedOut {
  /** `risk`: denied; `exchange`: rejected; `ended`: canceled or expired with nothing filled; `unknown`: no end was told. */
  readonly by: 'risk' | 'exchange' | 'ended' | 'unknown';
  readonly code: string;
  readonly strategy: string;
  readonly symbol: string;
  count: number;
  /** Epoch ms. */
  readonly first: number;
  last: number;
  /** Number of the newest: an intent's, where one asked; else that of what was told. */
  newest: number;
  /** Its figures. */
  numbers: Readonly<Record<string, unknown>>;
}

interface DeniedSummary {
  /** That asked for an order. */
  readonly intents: number;
  readonly ways: readonly NotCarriedOut[];
}

/** The most frequent first. */
function notCarriedOut(lives: Lives): DeniedSummary {
  const ways = new Map<string, NotCarriedOut>();
  const add = (
    by: NotCarriedOut['by'],
    line: ToldLine,
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
  const denied = (line: ToldLine, id: number) => {
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
  const asked = lives.intents.filter(({ intent }) => intent.kind === 'place' || intent.kind === 'protect');
  return { intents: asked.length, ways: [...ways.values()].sort((a, b) => b.count - a.count) };
}

/** How an order ended of which nothing was filled; `undefined` of one that was, or that still works. */
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
    if (kind === 'orderUnknown') return { by: 'unknown', line, code: 'no answer was heard', numbers: {} } as const;
    if (kind === 'orderAccepted' || kind === 'orderTriggered') return undefined;
  }
  return undefined;
}
