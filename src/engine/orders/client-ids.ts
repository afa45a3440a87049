import { invariant } from '../../model/errors.ts';

/** The most the exchange takes. */
const ID_LENGTH = 40;
/** Together with two dashes and a running number of ten digits: 40 characters. */
const LENGTHS = { bot: 12, strategy: 16 } as const;
/** Together with three dashes they leave 15 characters: an era of eight and a running number of seven digits. */
const LENGTHS_WITH_ERA = { bot: 10, strategy: 12 } as const;

interface IdOptions {
  /** Sets the ids of one journal apart from those of every other bot of the name: an exchange never forgets an id. */
  readonly era?: string | undefined;
  /** The first number to give: after a restart, the one after the last that may have been used. 1 unless said otherwise. */
  readonly from?: number | undefined;
}

/**
 * Client order ids: bot, strategy, the era where there is one, and a running number; plain characters, at most 40.
 * The same run gives the same ids.
 */
export class ClientIds {
  readonly #bot: string;
  #era: string;
  readonly #lengths: { readonly bot: number; readonly strategy: number };
  #next: number;

  constructor(bot: string, { era, from = 1 }: IdOptions = {}) {
    this.#lengths = era === undefined ? LENGTHS : LENGTHS_WITH_ERA;
    this.#bot = plain(bot).slice(0, this.#lengths.bot);
    this.#era = era === undefined ? '' : `${plain(era)}-`;
    this.#next = from;
  }

  /** The running number of the next id. */
  get nextNumber(): number {
    return this.#next;
  }

  /** What every id of this bot begins with. */
  get prefix(): string {
    return `${this.#bot}-`;
  }

  /** What ids of a strategy have after the bot's name. */
  static slugOf(strategyId: string): string {
    return plain(strategyId).slice(0, LENGTHS_WITH_ERA.strategy);
  }

  /** Ids of another era from here on: none of them has been given before. */
  renew(era: string): void {
    this.#era = `${plain(era)}-`;
  }

  next(strategyId: string): string {
    const id = `${this.#bot}-${plain(strategyId).slice(0, this.#lengths.strategy)}-${this.#era}${this.#next++}`;
    invariant(id.length <= ID_LENGTH, `a client order id has at most ${ID_LENGTH} characters, not ${id}`);
    return id;
  }
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9]/g, '');
}
