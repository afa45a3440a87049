import type { SpotFillRecord } from '../../../exchange/mapping/spot-fill-figures.ts';
import { spotFillFigures } from '../../../exchange/mapping/spot-fill-figures.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Outlets } from '../outlets.ts';
import type { SpotWallet } from './spot-wallet.ts';

/** Orders on the account that this bot did not place, as fills and reservations show them. */
export class Strangers {
  readonly #orderIds = new Set<string>();
  readonly #instruments = new Set<Instrument>();

  constructor(private readonly outlets: Outlets) {}

  isForeign(orderId: string): boolean {
    return this.#orderIds.has(orderId);
  }

  /** Whether orders that are not ours trade this instrument. */
  trade(instrument: Instrument): boolean {
    return this.#instruments.has(instrument);
  }

  /** An order was looked up and is not known. @param own its client id is of this bot's making: its journal is gone. */
  met(orderId: string, clientOrderId: string, own: boolean): void {
    this.#orderIds.add(orderId);
    const whose = own ? 'bears an id of this bot that the journal does not know' : 'is not ours';
    this.outlets.log.warn(`order ${orderId} ${whose}`, { orderId, clientOrderId });
  }

  /** Its fills move the wallet all the same: the baseline, never a strategy's position. */
  settle(record: SpotFillRecord, instrument: Instrument, wallet: SpotWallet): void {
    const figures = spotFillFigures(record);
    if (figures === undefined) return;
    this.#instruments.add(instrument);
    const { side, quantity, notional, fee } = figures;
    const { base, quote } = instrument;
    wallet.post(base, side === 'buy' ? quantity : quantity.negated(), 'foreign', record.fillId);
    wallet.post(quote, side === 'buy' ? notional.negated() : notional, 'foreign', record.fillId);
    wallet.post(side === 'buy' ? base : quote, fee.negated(), 'foreign', record.fillId);
  }
}
