import { invariant } from '../../model/errors.ts';

/** The longest id that the exchange accepts. */
const ID_LENGTH = 40;
/** Together with two dashes and a running number of ten digits: 40 characters. */
const LENGTHS = { bot: 12, strategy: 16 } as const;
/** Together with three dashes they leave 15 characters: an era of eight and a running number of seven digits. */
const LENGTHS_WITH_ERA = { bot: 10, strategy: 12 } as const;

interface IdOptions {
  /** Distinguishes the ids of one journal from those of other bots with the same name: an exchange never forgets an id. */
  readonly era?: string | undefined;
  /** The first number: after a restart, the one after the last that may have been used. 1 by default. */
  readonly from?: number | undefined;
  /** The era is not that of the journal's first opening: a run that the journal lost may have used ids of an earlier one. */
  readonly isRenewed?: boolean | undefined;
}

/**
 * Client order ids: bot, strategy, the era if there is one, and a running number; plain characters, at most 40.
 * The same run gives the same ids.
 */
export class ClientIds {
  readonly #bot: string;
  #era: string;
  readonly #lengths: { readonly bot: number; readonly strategy: number };
  #next: number;
  #isRenewed: boolean;
  /** The part of each strategy in its ids. */
  readonly #slugs = new Map<string, string>();

  constructor(bot: string, { era, from = 1, isRenewed = false }: IdOptions = {}) {
    this.#lengths = era === undefined ? LENGTHS : LENGTHS_WITH_ERA;
    this.#bot = plain(bot).slice(0, this.#lengths.bot);
    this.#era = era === undefined ? '' : `${plain(era)}-`;
    this.#next = from;
    this.#isRenewed = isRenewed;
  }

  /** The running number of the next id. */
  get nextNumber(): number {
    return this.#next;
  }

  /** The common prefix of all ids of this bot. */
  get prefix(): string {
    return `${this.#bot}-`;
  }

  /** The part of an id after the bot's name. */
  static slugOf(strategyId: string): string {
    return plain(strategyId).slice(0, LENGTHS_WITH_ERA.strategy);
  }

  /** Uses another era from now on: none of its ids has been used before. */
  renew(era: string): void {
    this.#era = `${plain(era)}-`;
    this.#isRenewed = true;
  }

  /** Whether an id belongs to an era that a later one has replaced. */
  isOutdated(id: string): boolean {
    return this.#isRenewed && /([0-9a-z]+-)\d+$/.exec(id)?.[1] !== this.#era;
  }

  next(strategyId: string): string {
    let slug = this.#slugs.get(strategyId);
    if (slug === undefined) {
      slug = plain(strategyId).slice(0, this.#lengths.strategy);
      this.#slugs.set(strategyId, slug);
    }
    const id = `${this.#bot}-${slug}-${this.#era}${this.#next++}`;
    invariant(id.length <= ID_LENGTH, `a client order id has at most ${ID_LENGTH} characters, not ${id}`);
    return id;
  }
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9]/g, '');
}
