import type { IntentLife, Lives, OrderLife } from './lives.ts';
import type { ToldLine } from './told-line.ts';

/** One step of an intent's life, in order. */
export interface LifeStep {
  readonly id: number;
  readonly time: number;
  /** `data`, `intent`, `risk`, `request`, `reply`, `event`, `fill`, `ledger`. */
  readonly step: string;
  readonly words: string;
}

/** What heads each line, and need not be repeated in it. */
const KNOWN = new Set(['clientOrderId', 'clientOrderIds', 'strategy', 'symbol', 'sequence', 'decided', 'intent']);

/** From the data that caused an intent to the last that was told of its orders. */
export function stepsOf(life: IntentLife | OrderLife, lives: Lives): LifeStep[] {
  const intent = 'clientOrderId' in life ? life.intent : life;
  const orders = 'clientOrderId' in life ? [life] : life.orders;
  const steps = intent === undefined ? [] : intentSteps(intent);
  for (const order of orders) steps.push(...orderSteps(order, lives));
  return steps.sort((a, b) => a.id - b.id);
}

function intentSteps({ line, intent, denial }: IntentLife): LifeStep[] {
  const { cause, id, time } = line;
  const steps: LifeStep[] = cause === undefined ? [] : [{ id: cause.id, time: cause.time, step: 'data', words: cause.words }];
  steps.push({ id, time, step: 'intent', words: wordsOf(intent) });
  if (denial !== undefined) steps.push({ id: denial.id, time: denial.time, step: 'risk', words: `denied: ${reasonOf(denial)}` });
  return steps;
}

function orderSteps({ lines, fillIds }: OrderLife, { ledger }: Lives): LifeStep[] {
  const steps = lines.map((line, index): LifeStep => {
    const { id, time, kind, fields } = line;
    if (kind === 'orderSubmitted') return { id, time, step: index === 0 ? 'risk' : 'event', words: `approved: ${wordsOf(fields)}` };
    if (kind === 'orderDenied') return { id, time, step: 'risk', words: `denied: ${reasonOf(line)}` };
    if (kind === 'orderFilled') return { id, time, step: 'fill', words: wordsOf(fields) };
    return {
      id,
      time,
      step: kind === 'request' || kind === 'reply' ? kind : 'event',
      words: `${eventName(kind)}${wordsOf(fields)}`.trim(),
    };
  });
  for (const fillId of fillIds) {
    for (const { id, time, fields } of ledger.get(fillId) ?? []) steps.push({ id, time, step: 'ledger', words: wordsOf(fields) });
  }
  return steps;
}

function eventName(kind: string): string {
  return kind === 'request' || kind === 'reply' ? '' : `${kind} `;
}

/** A refusal's code and its numbers. */
export function reasonOf({ fields }: ToldLine): string {
  const { code, ...numbers } = fields.reason as Record<string, unknown>;
  return `${String(code)} ${wordsOf(numbers)}`.trim();
}

/** `name value` of each field that says something. */
function wordsOf(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([name, value]) => !KNOWN.has(name) && value !== '' && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
