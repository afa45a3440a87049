import type { Credentials } from '../../exchange/client/credentials.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import type { ClientSettings } from '../../exchange/client/transport.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Config } from '../config/schema/schema.ts';

/** The ways of one bot to its exchange: one budget, and a client each for orders and for tickers. */
export interface BotClients {
  readonly client: ExchangeClient;
  /** Tries each read once. */
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  readonly accountId: string;
  /** Asked right before anything that acts leaves; nobody forbids anything at first. */
  readonly guard: Guard;
  /** Takes keys out of a text. */
  redact(text: string): string;
  close(): Promise<void>;
}

interface Guard {
  /** Why nothing may leave that places or cancels, if so. */
  forbids(): string | undefined;
}

interface BotClientParts {
  readonly clock: Clock;
  /** Time that only passes: windows are counted by it. */
  readonly steady: Clock;
  readonly credentials: Credentials;
  readonly settings: Partial<ClientSettings>;
  readonly live: Config['live'];
}

/** @throws TidegateError CONFIG_INVALID for a base URL that is unsafe. */
export function botClients({ clock, steady, credentials, settings, live }: BotClientParts): BotClients {
  const budget = new WeightBudget(steady, live?.budget);
  const common = { ...live?.timeouts, ...(live === undefined ? {} : { batchLimit: live.batchLimit }), ...settings };
  const guard: Guard = { forbids: () => undefined };
  const make = (more: Partial<ClientSettings>) =>
    new ExchangeClient({
      clock,
      budget,
      credentials,
      random: Math.random,
      settings: { ...common, ...more },
      forbids: () => guard.forbids(),
    });
  const client = make({});
  const marketClient = make({ readAttempts: 1 });
  return {
    client,
    marketClient,
    budget,
    accountId: credentials.accountId,
    guard,
    redact: (text) => credentials.redact(text),
    close: async () => {
      await Promise.all([client.close(), marketClient.close()]);
    },
  };
}
