import type { Instrument } from '../model/instrument.ts';
import { Position } from '../model/position.ts';

/** The positions of one strategy: the fold of its own fills. */
export class StrategyBook {
  readonly positions: readonly Position[];

  constructor(
    readonly strategyId: string,
    instruments: readonly Instrument[],
  ) {
    this.positions = instruments.map(() => new Position());
  }
}
