import { Decimal } from '../model/decimal.ts';
import { Activity } from './activity.ts';
import { Book } from './book.ts';
import type { MatchingOptions } from './matching-options.ts';
import { queuesOf } from './queue/queues-of.ts';

/** The book of each instrument, by its index. */
export function booksOf({ instruments, onBars, settings }: MatchingOptions): Book[] {
  const queues = queuesOf(settings);
  const { slippage, tickerQuantity } = settings;
  return instruments.map((instrument) => {
    const book = new Book(instrument, onBars, queues);
    if (tickerQuantity !== undefined) book.tickerBudget = instrument.step.floorUnits(new Decimal(tickerQuantity));
    if (slippage !== undefined && 'squareRoot' in slippage) book.activity = new Activity(slippage.squareRoot.days);
    return book;
  });
}
