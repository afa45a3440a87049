import { existsSync, readFileSync } from 'node:fs';
import { tap } from 'rxjs';
import type { z } from 'zod';
import type { PriceFeed } from '../../local-exchange/feeds.ts';
import { type RunningExchange, startExchange } from '../../local-exchange/start-exchange.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { PaperConfig } from '../config/schema/live-schema.ts';
import type { Config } from '../config/schema/schema.ts';
import { type ExchangeConfig, ExchangeConfigSchema, exchangeOptions, type PlannedExchange } from '../local-exchange/exchange-config.ts';
import { modelWarnings, ownModels } from '../planning/own-models.ts';
import { type PaperPrices, PublicPrices, RecordedPrices } from './paper-prices.ts';

/** The local exchange of one paper bot. It replays a recording or follows the real exchange's prices, and restores its state after a restart. */
export class PaperExchange {
  /** Epoch ms of the newest entry of its state; before the first start, the start of the prices. */
  readonly lastTime: number;
  readonly prices: PaperPrices;
  readonly #planned: PlannedExchange;
  readonly #isNew: boolean;

  private constructor(
    planned: PlannedExchange,
    prices: PaperPrices,
    private readonly stateFile: string,
    /** Its results depend on models of the user. */
    readonly warnings: readonly string[],
  ) {
    this.#planned = planned;
    this.prices = prices;
    const before = lastTimeIn(stateFile);
    this.#isNew = before === undefined;
    this.lastTime = before ?? prices.start;
  }

  /**
   * Opens its prices, its models and its state.
   * @throws TidegateError DATA_NOT_FOUND if the recording has no tickers of an instrument; CONFIG_INVALID, STRATEGY_NOT_FOUND,
   * STRATEGY_LOAD_FAILED, STRATEGY_PARAMS_INVALID for a model.
   */
  static async open(loaded: LoadedConfig, paper: PaperConfig, stateFile: string): Promise<PaperExchange> {
    const { config } = loaded;
    const { models, code } = await ownModels({ fills: config.backtest.fills }, ['backtest'], loaded);
    const planned = exchangeOptions(paperExchangeConfig(config), models);
    const prices = await pricesOf(paper, config.dataDir, planned.instruments);
    return new PaperExchange(planned, prices, stateFile, modelWarnings(code, code));
  }

  /**
   * Starts the server.
   * @param onEnd called at the end of the recording.
   * @throws TidegateError DATA_INVALID for the state of an exchange with other rules.
   */
  async start(clock: Clock, log: Log, onEnd: () => void): Promise<RunningExchange> {
    const after = this.#isNew ? Number.NEGATIVE_INFINITY : this.lastTime;
    const { events$, reports$ }: PriceFeed = this.prices.feed(clock, log, after);
    const feed = { reports$, events$: events$.pipe(tap({ complete: onEnd })) };
    try {
      return await startExchange({ ...this.#planned, clock, log, stateFile: this.stateFile, feed });
    } catch (error) {
      if (!(error instanceof TidegateError) || error.code !== 'DATA_INVALID') throw error;
      const hint = 'a paper account keeps the config of its first start: to begin a new account, rename the bot folder';
      throw new TidegateError('DATA_INVALID', `${error.message} (${hint})`, { cause: error });
    }
  }
}

/** Epoch ms of the last complete line. Errors in the file are reported when the exchange opens it. */
function lastTimeIn(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n');
  try {
    const line: unknown = JSON.parse(text.slice(text.lastIndexOf('\n', end - 1) + 1, end));
    const time: unknown = Array.isArray(line) ? line[0] : (line as { startedAt?: unknown }).startedAt;
    return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
  } catch {
    return undefined;
  }
}

async function pricesOf({ prices }: PaperConfig, dataDir: string, instruments: readonly Instrument[]): Promise<PaperPrices> {
  const { recording, exchange } = prices;
  return exchange === undefined
    ? await RecordedPrices.open({ ...prices, recording: recording! }, dataDir, instruments)
    : new PublicPrices(exchange, instruments);
}

/** The bot's account at its local exchange. */
const ACCOUNT = 'bot';

/** The config of a bot's local exchange: the bot's instruments, one account with its balances, and its fill rules. */
function paperExchangeConfig(config: Config): ExchangeConfig {
  const { account, backtest, dataDir, instruments, live, name } = config;
  const isFutures = account.kind === 'futures';
  const { markMaxAge: _, liquidation, insuranceFund } = backtest.futures ?? {};
  const exchange: z.input<typeof ExchangeConfigSchema> = {
    name,
    dataDir,
    instruments,
    accounts: [
      { name: ACCOUNT, balances: isFutures ? { futures: account.balances, spot: account.spot ?? {} } : { spot: account.balances } },
    ],
    margin: account.margin ?? {},
    fills: backtest.fills,
    matching: { liquidation, insuranceFund },
    behaviour: { marketBuyByQuote: live?.marketBuyByQuote ?? true, batchLimit: live?.batchLimit },
  };
  return ExchangeConfigSchema.parse(exchange);
}
