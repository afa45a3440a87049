/** Longest client order id that the exchange takes. */
const MAX_LENGTH = 40;
/** Room for `-`, the kind and a running number of up to ten digits. */
const PREFIX_LENGTH = 28;

/**
 * Client order ids: bot, strategy and a running number, plain characters, at most 40. The same run gives
 * the same ids.
 */
export class ClientIds {
  readonly #prefix: string;
  #count = 0;

  constructor(bot: string) {
    this.#prefix = plain(bot).slice(0, PREFIX_LENGTH - 12);
  }

  next(strategyId: string): string {
    return `${this.#prefix}-${plain(strategyId).slice(0, 16)}-${++this.#count}`.slice(0, MAX_LENGTH);
  }
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9]/g, '');
}
