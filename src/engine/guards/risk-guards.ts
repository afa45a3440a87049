import type { AccountEvent } from '../../model/order-events.ts';
import type { RiskLimits, ScopeLimits } from '../../risk/limits.ts';
import type { State } from '../../state/state.ts';
import { guardEquity } from './equity-guard.ts';
import { ErrorGuard } from './error-guard.ts';
import type { Flattening } from './flattening.ts';
import type { LatchDesk } from './latch-desk.ts';
import type { TradeStops } from './trade-stops.ts';

export interface RiskGuardsParts {
  readonly state: State;
  readonly limits: RiskLimits;
  readonly desk: LatchDesk;
  readonly flattening: Flattening;
  readonly stops: TradeStops;
}

/** What watches a run after its orders were approved: limits that the market, the venue or a run of losses can break. */
export class RiskGuards {
  readonly #errors: readonly ErrorGuard[];
  readonly #cooldowns: readonly { readonly strategyId: string | undefined; readonly losses: number; readonly forMs: number }[];

  constructor(private readonly parts: RiskGuardsParts) {
    const { state, limits, desk } = parts;
    const scopes: [strategyId: string | undefined, limits: ScopeLimits][] = [[undefined, limits], ...(limits.strategies ?? [])];
    guardEquity(state.portfolio, limits, desk, undefined);
    for (const [id, equity] of state.ownEquities) guardEquity(equity, limits.strategies?.get(id) ?? {}, desk, id);
    this.#errors = scopes.flatMap(([id, { errorBudget }]) => (errorBudget === undefined ? [] : [new ErrorGuard(errorBudget, desk, id)]));
    this.#cooldowns = scopes.flatMap(([strategyId, { cooldown }]) => (cooldown === undefined ? [] : [{ strategyId, ...cooldown }]));
  }

  /** The run begins: what an earlier one latched for a time goes on. */
  start(): void {
    this.parts.desk.start();
  }

  /** Called after the state has the event. @param owner the strategy that it belongs to. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    const { desk, flattening, stops } = this.parts;
    flattening.onEvent(event);
    if (event.kind === 'riskLatched' || event.kind === 'latchReset') desk.onEvent(event);
    else if (event.kind === 'tradeStopped') {
      const { strategyId, instrument } = event;
      flattening.begin({ cause: 'maxLossPerTrade', strategyId }, [instrument.symbol]);
    } else if (event.kind === 'orderFilled') {
      stops.onFill(event.fill.instrument);
      this.#coolDown(event.time, owner);
    }
    for (const guard of this.#errors) guard.onEvent(event, owner);
  }

  #coolDown(time: number, owner: string | undefined): void {
    for (const { strategyId, losses, forMs } of this.#cooldowns) {
      if (strategyId !== undefined && strategyId !== owner) continue;
      const count = this.parts.state.results!.lossesInARow(strategyId);
      if (count >= losses) this.parts.desk.latch({ rule: 'cooldown', strategyId, drawdown: 0, limit: losses, count, until: time + forMs });
    }
  }
}
