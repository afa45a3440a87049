import type { Lives, OrderLife } from './lives.ts';
import type { ToldLine } from './told-line.ts';

/** Why intents were not carried out, one way of them. */
export interface NotCarriedOut {
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

export interface DeniedSummary {
  /** That asked for an order. */
  readonly intents: number;
  readonly ways: readonly NotCarriedOut[];
}

/** The most frequent first. */
export function notCarriedOut(lives: Lives): DeniedSummary {
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
