import { existsSync, readFileSync } from 'node:fs';
import { tap } from 'rxjs';
import { type RunningExchange, startExchange } from '../../local-exchange/start-exchange.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Config } from '../config/schema.ts';
import { exchangeOptions, type PlannedExchange } from '../local-exchange/exchange-options.ts';
import { recordedEvents } from '../local-exchange/recorded-events.ts';
import { paperExchangeConfig } from './paper-exchange-config.ts';
import { pricedFrom, RecordingFeed } from './recording-feed.ts';

/** The local exchange of one paper bot: it plays a recording, and finds its state again after a restart. */
export class PaperExchange {
  /** Epoch ms of the newest thing that happened there; before the first start, when every instrument has its first price. */
  readonly lastTime: number;
  readonly #paper: NonNullable<Config['paper']>;
  readonly #open: () => Iterator<MarketEvent>;
  readonly #planned: PlannedExchange;
  readonly #isNew: boolean;

  /** @throws TidegateError DATA_NOT_FOUND where the recording has no tickers of an instrument. */
  constructor(
    config: Config,
    paper: NonNullable<Config['paper']>,
    private readonly stateFile: string,
  ) {
    const planned = exchangeOptions(paperExchangeConfig(config));
    this.#paper = paper;
    this.#planned = planned;
    this.#open = recordedEvents(config.dataDir, paper.prices.recording, planned.instruments, 'ticker');
    const before = lastTimeIn(stateFile);
    this.#isNew = before === undefined;
    this.lastTime = before ?? pricedFrom(this.#open, planned.instruments.length);
  }

  /**
   * @param onEnd called when the recording has ended.
   * @throws TidegateError DATA_INVALID for the state of an exchange with other rules.
   */
  async start(clock: Clock, log: Log, onEnd: () => void): Promise<RunningExchange> {
    const after = this.#isNew ? Number.NEGATIVE_INFINITY : this.lastTime;
    const feed = new RecordingFeed(this.#open, clock, after, this.#paper.prices.loop);
    const events$ = feed.events$.pipe(tap({ complete: onEnd }));
    try {
      return await startExchange({ ...this.#planned, clock, log, stateFile: this.stateFile, feed: { events$ } });
    } catch (error) {
      if (!(error instanceof TidegateError) || error.code !== 'DATA_INVALID') throw error;
      const hint = 'a paper account goes on under the config it began with: to start over, move the bot folder away';
      throw new TidegateError('DATA_INVALID', `${error.message} (${hint})`, { cause: error });
    }
  }
}

/** Epoch ms of the last whole line; what is wrong with the file shows when it is opened. */
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
