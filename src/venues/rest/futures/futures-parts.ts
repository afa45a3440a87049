import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { SendLane } from '../send-lane.ts';
import type { Outlets, RestSettings } from '../trading.ts';
import type { ExpectedContract } from './margin-binding.ts';

/** What the futures half is made of. */
export interface FuturesParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly lane: SendLane;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** Which strategy adopts orders of others on an instrument; `undefined` where none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** What the exchange's settings must agree with. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of quote coins; what is left out is known, or refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
}
