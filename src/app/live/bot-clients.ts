import type { Credentials } from '../../exchange/client/credentials.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { RefusedAnswers } from '../../exchange/client/refused-answers.ts';
import type { ClientSettings } from '../../exchange/client/transport.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import type { Effect } from '../../exchange/operations/operation-table.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Config } from '../config/schema/schema.ts';

/** The exchange clients of one bot: one for orders and one for tickers, with one weight budget. */
export interface BotClients {
  readonly client: ExchangeClient;
  /** Makes each read request only once, without retries. */
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  readonly accountId: string;
  /** The answers of the exchange that were not taken. */
  readonly refused: RefusedAnswers;
  /** Called right before a placement or a cancel is sent. At first it allows everything. */
  readonly guard: Guard;
  /** Removes keys from a text. */
  redact(text: string): string;
  close(): Promise<void>;
}

interface Guard {
  /** The reason why a placement or a cancel may not be sent; undefined if it may. */
  forbids(effect: Effect): string | undefined;
}

interface BotClientParts {
  readonly clock: Clock;
  /** A clock that never goes back: the windows of the budget use it. */
  readonly steady: Clock;
  readonly credentials: Credentials;
  readonly settings: Partial<ClientSettings>;
  readonly live: Config['live'];
}

/** Creates the clients. @throws TidegateError CONFIG_INVALID for an unsafe base URL. */
export function botClients({ clock, steady, credentials, settings, live }: BotClientParts): BotClients {
  const budget = new WeightBudget(steady, live?.budget);
  const common = { ...live?.timeouts, ...(live === undefined ? {} : { batchLimit: live.batchLimit }), ...settings };
  const refused = new RefusedAnswers(() => clock.now());
  const guard: Guard = { forbids: () => undefined };
  const make = (more: Partial<ClientSettings>) =>
    new ExchangeClient({
      clock,
      budget,
      credentials,
      random: Math.random,
      settings: { ...common, ...more },
      refused,
      forbids: (effect) => guard.forbids(effect),
    });
  const client = make({});
  const marketClient = make({ readAttempts: 1 });
  return {
    client,
    marketClient,
    budget,
    accountId: credentials.accountId,
    refused,
    guard,
    redact: (text) => credentials.redact(text),
    close: async () => {
      await Promise.all([client.close(), marketClient.close()]);
    },
  };
}
