/** Together with two dashes and a running number of ten digits: 40 characters, the most the exchange takes. */
const BOT_LENGTH = 12;
const STRATEGY_LENGTH = 16;

/**
 * Client order ids: bot, strategy and a running number, plain characters, at most 40. The same run gives
 * the same ids.
 */
export class ClientIds {
  readonly #bot: string;
  #count = 0;

  constructor(bot: string) {
    this.#bot = plain(bot).slice(0, BOT_LENGTH);
  }

  next(strategyId: string): string {
    return `${this.#bot}-${plain(strategyId).slice(0, STRATEGY_LENGTH)}-${++this.#count}`;
  }
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9]/g, '');
}
