import type { RecentEvents } from '../../../engine/guards/risk-guards.ts';
import { type AccountEvent, isOrderEvent } from '../../../model/account-events.ts';
import { isLiquidation } from '../../../model/order.ts';
import type { RiskLimits } from '../../../risk/limits.ts';
import type { State } from '../../../state/state.ts';

/** An order that has left the gate for the venue. */
type Sent = RecentEvents['sent'][number];

/**
 * Collects the events of a journal that limits with a window count: sent orders and errors of the venue. Without it, a bot that crashes
 * in a loop could send as many orders again after each restart. Keeps no more than the longest window needs.
 */
export class RecentCollector {
  readonly #windowMs: number;
  #sent: (Sent & { readonly clientOrderId: string })[] = [];
  #errors: RecentEvents['errors'][number][] = [];
  /** Epoch ms of the newest stop of each open trade, by symbol and strategy. */
  readonly #stopped = new Map<string, number>();

  constructor(
    limits: RiskLimits,
    private readonly state: State,
  ) {
    const scopes = [limits, ...(limits.strategies?.values() ?? [])];
    this.#windowMs = Math.max(0, ...scopes.flatMap(({ orderRate, errorBudget }) => [orderRate?.perMs ?? 0, errorBudget?.perMs ?? 0]));
  }

  /** To be called for each account event, in order, after the state has processed it. */
  take(event: AccountEvent): void {
    const { kind, time } = event;
    if (kind === 'tradeStopped') this.#stopped.set(`${event.instrument.symbol}/${event.strategyId}`, time);
    else if (kind === 'orderFilled') this.#traded(event.fill.symbol);
    if (this.#windowMs === 0) return;
    const order = isOrderEvent(event) ? this.state.order(event.clientOrderId) : undefined;
    if (kind === 'orderSubmitted' && order !== undefined && !order.held && !isLiquidation(order.type)) {
      this.#sent.push({ time, strategyId: order.strategyId, clientOrderId: event.clientOrderId });
      this.#forget(time);
    } else if (kind === 'orderAccepted' && event.held) this.#heldBack(event.clientOrderId);
    else if (kind === 'orderUnknown' || kind === 'orderRejected' || kind === 'healthChanged') {
      this.#errors.push({ event, owner: order?.strategyId });
      this.#forget(time);
    }
  }

  /** The counts with which the next run continues. */
  get recent(): RecentEvents {
    return { sent: this.#sent, errors: this.#errors, stopped: this.#stopped };
  }

  /** The engine holds the order: it has not been sent. */
  #heldBack(clientOrderId: string): void {
    if (this.#sent.at(-1)?.clientOrderId === clientOrderId) this.#sent.pop();
    else this.#sent = this.#sent.filter((one) => one.clientOrderId !== clientOrderId);
  }

  #traded(symbol: string): void {
    for (const key of [...this.#stopped.keys()]) if (key.startsWith(`${symbol}/`)) this.#stopped.delete(key);
  }

  #forget(now: number): void {
    const from = now - this.#windowMs;
    if ((this.#sent[0]?.time ?? now) <= from) this.#sent = this.#sent.filter(({ time }) => time > from);
    if ((this.#errors[0]?.event.time ?? now) <= from) this.#errors = this.#errors.filter(({ event }) => event.time > from);
  }
}
