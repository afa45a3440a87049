import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { initialMargin, type MarginSettings } from '../../../model/margin.ts';
import { closes } from '../../../model/order.ts';
import { leftOf, type TrackedOrder, type TrackedOrders } from '../../reconcile/order-record.ts';
import type { ListedStates, Triggers } from './attribution/listed-states.ts';
import type { FuturesBooks } from './futures-books.ts';
import type { FuturesWallet } from './futures-wallet.ts';
import type { AccountSnapshot } from './snapshot/account-snapshot.ts';

/** A contract of the config: the exchange's own settings must be equal. */
export interface ExpectedContract {
  readonly instrument: Instrument;
  /** The exchange's id of the contract. */
  readonly contractId: string;
  readonly margin: Pick<MarginSettings, 'mode' | 'separated' | 'longLeverage' | 'shortLeverage'>;
}

type Account = PayloadOf<'futuresAccount'>['account'];

/**
 * Compares the modes and leverages of the account with those of the config.
 * @throws TidegateError START_REFUSED with the contract, the expected and the found value.
 */
export function checkSettings(expected: readonly ExpectedContract[], account: Account): void {
  for (const { instrument, contractId, margin } of expected) {
    const modes = account.contract_id_to_mode_setting[contractId];
    const leverages = account.contract_id_to_leverage_setting[contractId];
    if (modes === undefined || leverages === undefined) {
      refuse(
        instrument,
        `settings under contract id ${contractId}`,
        `those of ${Object.keys(account.contract_id_to_mode_setting).join(', ') || 'no contract'}`,
      );
    }
    const isolated = margin.mode === 'isolated';
    const isCross = modes.margin_mode.toUpperCase() === 'CROSS';
    // The document has two words for shared collateral.
    if (isolated || !isCross) expectWord(instrument, 'margin mode', isolated ? 'ISOLATED' : 'SHARED', modes.margin_mode);
    expectWord(instrument, 'separated mode', margin.separated ? 'SEPARATED' : 'COMBINED', modes.separated_mode);
    expectWord(instrument, 'position mode', 'HEDGE', modes.position_mode);
    const { isolated_long_leverage: long, isolated_short_leverage: short } = leverages;
    const shared = isCross ? leverages.cross_leverage : leverages.shared_leverage;
    expectLeverage(instrument, 'long', margin.longLeverage, isolated ? long : shared);
    expectLeverage(instrument, 'short', margin.shortLeverage, isolated ? short : shared);
  }
}

function expectWord(instrument: Instrument, what: string, expected: string, found: string): void {
  if (found.toUpperCase() !== expected) refuse(instrument, `${what} ${expected}`, found);
}

function expectLeverage(instrument: Instrument, side: string, expected: Decimal, found: string): void {
  if (!expected.equals(new Decimal(found))) refuse(instrument, `${side} leverage ${expected.toFixed()}`, found);
}

function refuse({ symbol }: Instrument, expected: string, found: string): never {
  throw new TidegateError('START_REFUSED', `${symbol}: the config expects ${expected}, the exchange has ${found}`);
}

/**
 * The margin of positions and orders in a coin: the initial margin of shared positions, isolated margins, and for opening orders
 * that have been triggered the margin of their rest with the taker's fee. Untriggered orders have none.
 */
function boundMargin(
  snapshot: AccountSnapshot,
  fired: readonly TrackedOrder[],
  leverageOf: (order: TrackedOrder) => Decimal | undefined,
): Decimal {
  let bound = ZERO;
  for (const { isolated, margin, openValue, leverage, state } of snapshot.positions) {
    if (state !== 'listed') continue;
    if (!isolated) bound = bound.plus(leverage.isZero() ? ZERO : initialMargin(openValue, leverage));
    else if (margin.isPositive()) bound = bound.plus(margin);
  }
  for (const order of fired) {
    const { instrument, priceTicks, triggerTicks } = order.request;
    const leverage = leverageOf(order);
    if (closes(order.request) || leverage === undefined || leverage.isZero()) continue;
    const value = instrument.notional(priceTicks ?? triggerTicks ?? 0, leftOf(order));
    bound = bound.plus(initialMargin(value, leverage)).plus(value.times(instrument.takerFee));
  }
  return bound;
}

interface BindingParts {
  readonly orders: TrackedOrders;
  readonly listedStates: ListedStates;
  readonly triggers: Triggers;
  readonly books: FuturesBooks;
  readonly wallet: FuturesWallet;
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly expected: readonly ExpectedContract[] | undefined;
}

/** Reports the margin of positions and working orders in the futures wallet. */
export class MarginBinding {
  constructor(private readonly parts: BindingParts) {}

  bind(coin: string, snapshot: AccountSnapshot): void {
    const { orders, listedStates, triggers, books, wallet, expected, instruments } = this.parts;
    books.reportMargins(snapshot);
    const fired = orders.alive.filter(
      (order) =>
        order.phase === 'open' &&
        triggers.has(order) &&
        // For an adopted order only the lists show whether it still waits for its trigger.
        listedStates.of(order).status !== 'untriggered' &&
        order.request.instrument.quote === coin,
    );
    const bound = boundMargin(snapshot, fired, ({ request }) => {
      const margin = expected?.find(({ instrument }) => instrument === request.instrument)?.margin;
      if (margin !== undefined) return request.positionSide === 'long' ? margin.longLeverage : margin.shortLeverage;
      return snapshot.positions.find(
        (one) => instruments.get(one.symbol) === request.instrument && one.positionSide === request.positionSide,
      )?.leverage;
    });
    wallet.freeze(coin, bound);
  }
}
