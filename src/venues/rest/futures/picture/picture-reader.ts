import { wireSymbol } from '../../../../exchange/symbols.ts';
import { TidegateError } from '../../../../model/errors.ts';
import type { FuturesParts } from '../futures-parts.ts';
import { checkSettings } from '../margin-binding.ts';
import { type AccountPicture, pictureOf } from './account-picture.ts';

/** Ids that are known of the exchange. */
const COIN_IDS: ReadonlyMap<string, string> = new Map([
  ['BTC', '1'],
  ['USDT', '2'],
]);

/** A picture, and the epoch ms at which it was asked for. */
export interface Read {
  readonly askedAt: number;
  readonly picture: AccountPicture;
}

/** Reads operation 16 for every coin that contracts of the run are settled in. */
export class PictureReader {
  readonly coins: readonly string[];
  readonly #symbols: ReadonlyMap<string, string>;
  #checked = false;

  constructor(private readonly parts: Pick<FuturesParts, 'client' | 'instruments' | 'coinIds' | 'expected' | 'outlets'>) {
    this.coins = [...new Set(parts.instruments.map(({ quote }) => quote))].sort();
    this.#symbols = new Map(parts.expected?.map(({ contractId, instrument }) => [contractId, wireSymbol(instrument.symbol)]));
  }

  /** @throws ExchangeError; TidegateError START_REFUSED, at the first reading, where settings are not as expected. */
  async read(): Promise<ReadonlyMap<string, Read>> {
    const { client, instruments, expected = [], outlets } = this.parts;
    const found = new Map<string, Read>();
    for (const coin of this.coins) {
      const askedAt = outlets.clock.now();
      const payload = await client.futuresAccount({ coinId: this.#idOf(coin) });
      if (!this.#checked)
        checkSettings(
          expected.filter(({ instrument }) => instrument.quote === coin),
          payload.account,
        );
      found.set(coin, { askedAt, picture: pictureOf(coin, payload, instruments, this.#symbols) });
    }
    this.#checked = true;
    return found;
  }

  #idOf(coin: string): string {
    const id = this.parts.coinIds?.get(coin) ?? COIN_IDS.get(coin);
    if (id !== undefined) return id;
    throw new TidegateError('START_REFUSED', `the config names no id of the coin ${coin}, which futures are settled in`);
  }
}
