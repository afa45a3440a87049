import type { Instrument } from '../model/instrument.ts';
import type { PortfolioOptions } from './portfolio.ts';
import { Positions } from './positions.ts';

/** The positions of one strategy: the fold of its own fills, and of its share of the funding. */
export class StrategyBook extends Positions {
  constructor(
    readonly strategyId: string,
    instruments: readonly Instrument[],
    account: PortfolioOptions,
  ) {
    super(instruments, account);
  }
}
