import type { Engine } from '../../../engine/engine.ts';
import type { State } from '../../../state/state.ts';

/** Counts what one run of a bot did, for its last words. */
export class RunTotals {
  orders = 0;
  fills = 0;
  denied = 0;
  rejected = 0;
  /** Epoch ms of the newest price. */
  lastTick: number | undefined;
  #startEquity: string | undefined;

  observe(engine: Engine, state: State): void {
    engine.market$.subscribe(({ kind, time }) => {
      if (kind === 'ticker') this.lastTick = time;
      if (!Number.isNaN(state.portfolio.equity)) this.#startEquity ??= state.portfolio.exactEquity().toFixed();
    });
    engine.account$.subscribe((event) => {
      if (event.kind === 'orderSubmitted' && !event.again) this.orders++;
      if (event.kind === 'orderFilled') this.fills++;
      if (event.kind === 'orderDenied') this.denied++;
      if (event.kind === 'orderRejected') this.rejected++;
    });
  }

  summary({ portfolio }: State): Record<string, unknown> {
    const { orders, fills, denied, rejected } = this;
    const equity = portfolio.exactEquity().toFixed();
    return { orders, fills, denied, rejected, startEquity: this.#startEquity ?? equity, equity, currency: portfolio.currency };
  }
}
