import type { Engine } from '../../src/engine/engine.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { State } from '../../src/state/state.ts';

/** What two runs are compared by, as lines. */
export interface Trace {
  /** Every intent with its time, in order. */
  readonly intents: readonly string[];
  /** What was denied, and why. */
  readonly denials: readonly string[];
  /** How orders ended, or came to be: what strategies were told, with the time. */
  readonly orders: readonly string[];
  readonly fills: readonly string[];
  /** Balances and positions at the last poll. */
  readonly ends: readonly string[];
}

/** Writes down what an engine does, in words that are the same whatever the venue calls things. */
export class Tracer {
  readonly intents: string[] = [];
  readonly denials: string[] = [];
  readonly orders: string[] = [];
  readonly fills: string[] = [];
  /** From here nothing counts: the run is being brought to its end. */
  closed = false;

  constructor(private readonly now: () => number) {}

  intent(strategyId: string, intent: Intent): void {
    if (!this.closed) this.intents.push(`${this.now()} ${strategyId} ${plain(JSON.stringify(intent))}`);
  }

  observe(engine: Engine): void {
    engine.account$.subscribe((event) => {
      if (this.closed || !('clientOrderId' in event)) return;
      const at = `${this.now()} ${plain(event.clientOrderId)}`;
      if (event.kind === 'orderDenied') this.denials.push(`${at} ${event.symbol} ${plain(JSON.stringify(event.reason))}`);
      else if (event.kind === 'orderFilled') {
        this.fills.push(`${at} ${fillText(event.fill)}`);
        this.orders.push(`${at} ${event.kind} ${event.complete ? 'whole' : 'in part'}`);
      } else if (event.kind !== 'orderSubmitted' && event.kind !== 'cancelSubmitted') {
        // Whoever refuses, does so in words of its own.
        const reason = 'reason' in event && event.kind !== 'orderRejected' ? ` ${String(event.reason)}` : '';
        this.orders.push(`${at} ${event.kind}${reason}`);
      }
    });
  }

  trace(state: State): Trace {
    const { intents, denials, orders, fills } = this;
    return { intents, denials, orders, fills, ends: endsOf(state) };
  }
}

/** Sequences and ids are each side's own, and what the exchange's records do not say is left out. */
function fillText({
  symbol,
  side,
  positionSide,
  priceTicks,
  steps,
  notional,
  fee,
  feeAsset,
  liquidity,
  tag,
  ref,
  time,
  instrument,
}: Fill): string {
  // By the rate that was charged, records tell maker from taker where the rates differ.
  const told = instrument.makerFee.equals(instrument.takerFee) ? '' : ` ${liquidity}`;
  return `${symbol} ${side} ${positionSide} ${steps} at ${priceTicks} for ${notional.toFixed()} fee ${fee.toFixed()} ${feeAsset}${told} "${tag}" "${ref}" @${Math.floor(time)}`;
}

function endsOf({ portfolio, books, instruments }: State): string[] {
  const balances = [...portfolio.balances.values()].map(({ wallet, asset, total }) => `${wallet} ${asset} ${total.toFixed()}`);
  const positions = [...books].flatMap(([id, book]) =>
    instruments.flatMap((instrument) =>
      book
        .sides(instrument)
        .map(
          (position, side) =>
            `${id} ${instrument.symbol} ${side} ${position.steps} for ${position.cost.toFixed()} and ${position.dust.toFixed()}`,
        ),
    ),
  );
  return [...balances.sort(), ...positions];
}

/** Client ids by their running number: the rest of them names the run. */
function plain(text: string): string {
  return text.replace(/\b[A-Za-z0-9]{1,12}-[A-Za-z0-9]{1,16}-(?:[a-z0-9]{6,9}-)?(\d+)\b/g, '#$1');
}

/** The first line in which two traces differ, with those before it; `undefined` where they do not. */
export function firstDifference(backtest: Trace, paper: Trace): string | undefined {
  for (const part of ['intents', 'denials', 'orders', 'fills', 'ends'] as const) {
    const [one, other] = [backtest[part], paper[part]];
    for (let at = 0; at < Math.max(one.length, other.length); at++) {
      if (one[at] === other[at]) continue;
      const before = one.slice(Math.max(0, at - 3), at).map((line) => `    both: ${line}\n`);
      return `${part} differ at ${at + 1}:\n${before.join('')}backtest: ${one[at] ?? 'nothing'}\n   paper: ${other[at] ?? 'nothing'}`;
    }
  }
  return undefined;
}
