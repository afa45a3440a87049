import type { Instrument } from './instrument.ts';
import type { PositionSide } from './order.ts';
import type { RefusalCode } from './reasons.ts';

/** What was to close a position was refused for good: the position stands without it until somebody acts. */
export interface ExitRefused {
  readonly kind: 'exitRefused';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** `stop`: nothing guards the position. `flatten`: what a kill or a limit was to close goes on standing. */
  readonly exit: 'stop' | 'flatten';
  /** By what it was refused. */
  readonly code: RefusalCode;
}
