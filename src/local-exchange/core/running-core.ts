import type { Clock } from '../../ports/clock.ts';
import type { PriceInput } from '../market/price-input.ts';
import type { ExchangeOptions } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { Visibility } from '../trading/order-store.ts';
import type { ActionKind, ArgsOf, ResultOf } from './actions.ts';
import { Exchange } from './exchange.ts';
import { fingerprint } from './fingerprint.ts';
import { StateFile } from './state-file.ts';

/** The exchange on its clock: dates every action, keeps it in the state file, and ends withdrawals when they are due. */
export class RunningCore {
  readonly exchange: Exchange;
  readonly #clock: Clock;
  readonly #file: StateFile | undefined;
  readonly #scheduled = new Map<string, () => void>();
  #now: number;

  /** @throws TidegateError DATA_INVALID for a state file of something else. */
  constructor(options: ExchangeOptions, visibility: Visibility) {
    this.#clock = options.clock;
    this.#now = options.clock.now();
    this.#file = options.stateFile === undefined ? undefined : StateFile.open(options.stateFile, this.#now, fingerprint(options));
    const startedAt = this.#file?.startedAt ?? this.#now;
    this.exchange = new Exchange(options, startedAt, visibility);
    this.#file?.past.forEach(([time, kind, args], index) => {
      this.#now = Math.max(this.#now, time);
      try {
        this.#again(kind, args, time);
      } catch (error) {
        this.#file?.close();
        throw this.#file?.damaged(index, error);
      }
    });
    this.#settleLater();
  }

  /** Epoch ms; never goes back. */
  now(): number {
    this.#now = Math.max(this.#now, this.#clock.now());
    return this.#now;
  }

  /** Changes the exchange now. @throws Refusal where it is refused as a whole. */
  act<K extends ActionKind>(kind: K, args: ArgsOf<K>): ResultOf<K> {
    const time = this.now();
    if (!this.#isIdle(kind, args)) this.#file?.write(time, kind, args);
    const result = this.exchange.perform(kind, args, time);
    if (kind === 'withdraw') this.#settleLater();
    return result;
  }

  close(): void {
    for (const cancel of this.#scheduled.values()) cancel();
    this.#file?.close();
  }

  /** Tickers of spot pairs that say what the last ones said change nothing: the state file need not hold them. */
  #isIdle<K extends ActionKind>(kind: K, args: ArgsOf<K>): boolean {
    if (kind === 'prices') return (args as ArgsOf<'prices'>).every((input) => this.#isOld(input));
    return kind === 'price' && this.#isOld(args as ArgsOf<'price'>);
  }

  #isOld([kind, instrument, ticks]: PriceInput): boolean {
    const view = this.exchange.market.views[instrument];
    return kind === 'ticker' && view?.instrument.contract === undefined && view?.lastTicks === ticks;
  }

  #again<K extends ActionKind>(kind: K, args: ArgsOf<K>, time: number): void {
    try {
      this.exchange.perform(kind, args, time);
    } catch (error) {
      // It was refused then, too.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #settleLater(): void {
    for (const { id, status, createTime } of this.exchange.treasury.withdrawals) {
      if (status !== 'PROGRESSING' || this.#scheduled.has(id)) continue;
      const cancel = this.#clock.schedule(createTime + this.exchange.behaviour.withdrawalMs, () => {
        this.#scheduled.delete(id);
        this.act('settle', { id });
      });
      this.#scheduled.set(id, cancel);
    }
  }
}
