import type { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { LiquidationType, Side, TimeInForce } from '../../model/order.ts';

/** An order as a record of the exchange shows it. What a record does not say is empty or `undefined`. */
export interface SeenOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  /** That of the run's instrument; of another one as the exchange spells it. */
  readonly symbol: string;
  /** `buy` or `sell`, if the record is sound. */
  readonly side: string;
  /** `limit` or `market`, if the record is sound. */
  readonly type: string;
  /** Above 0. */
  readonly price: Decimal | undefined;
  /** The price that triggers the order; above 0. */
  readonly triggerPrice?: Decimal | undefined;
  /** Above 0; in quote for an order by amount. */
  readonly quantity: Decimal | undefined;
  readonly filled: Decimal;
  readonly status: SeenStatus | undefined;
  /** Epoch ms. */
  readonly createdAt: number | undefined;
  /** Contracts; spot has none. */
  readonly positionSide?: 'long' | 'short' | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly postOnly?: boolean | undefined;
  /** Average price of its fills. */
  readonly average?: Decimal | undefined;
  /** It is an order, and no trigger that still waits. */
  readonly isTriggered?: boolean | undefined;
  /** Epoch ms at which a trigger fired, on the exchange's clock. */
  readonly triggeredAt?: number | undefined;
  /** The exchange made it, to close a position that lacked margin. */
  readonly forced?: LiquidationType | undefined;
}

export type SeenStatus = 'pending' | 'untriggered' | 'open' | 'partiallyFilled' | 'filled' | 'canceling' | 'canceled';

/** A fill as a record of the exchange shows it. */
export interface SeenFill {
  readonly fillId: string;
  readonly orderId: string;
  /** `undefined` if the record cannot be a fill: without a known side, or without a quantity. */
  readonly side: Side | undefined;
  readonly price: Decimal;
  readonly quantity: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  /** Spot: in the received coin, which is base on a buy and quote on a sell. Contracts: in quote. */
  readonly fee: Decimal;
  /** Contracts; spot has none of these. */
  readonly positionSide?: 'long' | 'short' | undefined;
  /** Gain of the closed part, in quote, before fees. */
  readonly profit?: Decimal | undefined;
  /** Fee of a close by the exchange, in quote. */
  readonly liquidationFee?: Decimal | undefined;
  /** Epoch ms on the exchange's clock. */
  readonly time: number;
  /** From a simulator, which knows more of it than a record says. */
  readonly known?: Fill | undefined;
}

/** The amounts of one coin at the exchange. */
export interface SeenBalance {
  readonly asset: string;
  readonly total: Decimal;
  readonly frozen: Decimal;
}

/** A transfer into or out of the wallet. */
export interface SeenTransfer {
  readonly asset: string;
  /** Above 0. */
  readonly amount: Decimal;
  readonly from: string;
  readonly to: string;
  /** The wallet is its source, its target, or both: then the change of the balance decides. */
  readonly isFrom: boolean;
  readonly isTo: boolean;
  /** Epoch ms on the exchange's clock. */
  readonly time: number;
}

/** A position in a picture of the account. */
export interface SeenPosition {
  /** `undefined` for a contract that the run does not trade. */
  readonly instrument: Instrument | undefined;
  readonly positionSide: 'long' | 'short';
  readonly steps: number;
  /** Value of the open part at its entry prices, in quote. */
  readonly openValue: Decimal;
  readonly leverage: Decimal;
  /** Margin of its own; `undefined` if it shares the wallet's. */
  readonly isolatedMargin: Decimal | undefined;
  /** Separated mode: the id of the order that opened it, else empty. */
  readonly orderId: string;
  /** All funding of its life (negative: paid), in quote. */
  readonly funding: Decimal;
  /** Distinguishes two positions of one contract and side, one after the other. */
  readonly id: string;
}

/** All money and positions of one coin at one moment. */
export interface SeenPicture {
  /** Equal in two pictures without a change between them. */
  readonly version: string;
  readonly total: Decimal;
  readonly positions: readonly SeenPosition[];
}

/** A payment that is no trade. */
export interface SeenBill {
  readonly billId: string;
  readonly kind: 'funding' | 'transfer' | 'insurance';
  /** Positive: received. */
  readonly amount: Decimal;
  readonly instrument: Instrument | undefined;
  /** From a simulator alone: the side that was charged. */
  readonly positionSide?: 'long' | 'short' | undefined;
  /** For people. */
  readonly text: string;
  /** Epoch ms on the exchange's clock. */
  readonly time: number;
}

/** All records since a time, and that time: an exchange may not list older ones than this. */
export interface Since<T> {
  /** Oldest first. */
  readonly records: readonly T[];
  /** Epoch ms on the exchange's clock. */
  readonly from: number;
  /** Every page was read. */
  readonly whole: boolean;
}

/** The fills of several contracts since `from`, in one list that was requested at `since` or later. Both epoch ms. */
export interface SharedFills {
  readonly since: number;
  readonly from: number;
}

/** A question of a reconciliation to the exchange. */
export type Ask =
  /** An order by one of its ids; of contracts always with its instrument. */
  | {
      readonly ask: 'order';
      readonly instrument?: Instrument | undefined;
      readonly id: { readonly orderId: string } | { readonly clientOrderId: string };
      /** Epoch ms: lists of ended orders that were requested later will do. By default they are requested now. */
      readonly since?: number | undefined;
      /** It is a trigger that waited when it was seen last: those are looked through first. */
      readonly waits?: boolean | undefined;
    }
  /** All fills of an instrument since a time. */
  | { readonly ask: 'fills'; readonly instrument: Instrument; readonly from: number; readonly shared?: SharedFills | undefined }
  /** All fills of one order. */
  | { readonly ask: 'fillsOf'; readonly instrument: Instrument; readonly orderId: string }
  | { readonly ask: 'balances' }
  | { readonly ask: 'transfers'; readonly from: number }
  /** Contracts: the open orders of one, triggers that wait included. `since`: a list of all that was requested from then on will do. */
  | { readonly ask: 'openOrders'; readonly instrument: Instrument; readonly since?: number | undefined }
  /** Contracts: money and positions in a coin. */
  | { readonly ask: 'picture'; readonly coin: string }
  /** Contracts: payments in a coin since a time. */
  | { readonly ask: 'bills'; readonly coin: string; readonly from: number /** The newest alone will do. */; readonly partly: boolean };

/** One kind of question. */
export type Question<K extends Ask['ask']> = Extract<Ask, { readonly ask: K }>;

/** The questions about a spot account, and those about contracts. */
export type OfSpot = 'order' | 'fills' | 'fillsOf' | 'balances' | 'transfers';
export type OfContracts = 'order' | 'fills' | 'fillsOf' | 'openOrders' | 'picture' | 'bills';

/** The answer to each question. */
export interface Answers {
  /** `undefined`: the exchange says that there is none. */
  readonly order: SeenOrder | undefined;
  readonly fills: Since<SeenFill>;
  readonly fillsOf: readonly SeenFill[];
  readonly balances: readonly SeenBalance[];
  readonly transfers: Since<SeenTransfer>;
  readonly openOrders: readonly SeenOrder[];
  readonly picture: SeenPicture;
  readonly bills: Since<SeenBill>;
}

/**
 * A part of a reconciliation that asks the exchange on its way. It awaits nothing itself: a bot answers its questions by requests, a
 * backtest at once. An error thrown for a question means that there is no answer.
 */
export type Asking<T = void> = Generator<Ask, T, Answers[keyof Answers]>;

/** Asks one question. @returns the answer. */
export function* ask<K extends keyof Answers>(question: Question<K>): Asking<Answers[K]> {
  return (yield question) as Answers[K];
}

/** How each question is answered by a request. */
export type Reads<K extends keyof Answers = keyof Answers> = { readonly [N in K]: (question: Question<N>) => Promise<Answers[N]> };

/**
 * Runs it to its end, and answers each question by a request.
 * @param tries how often a question is asked at most where a later try may succeed. @param onAnswer called after each answer.
 * @throws whatever a request throws at its last try and the reconciliation does not catch.
 */
export async function answered<T>(asking: Asking<T>, reads: Partial<Reads>, tries = 1, onAnswer = () => {}): Promise<T> {
  const ask = (question: Ask) => (reads[question.ask] as (question: Ask) => Promise<Answers[keyof Answers]>)(question);
  let left = tries;
  for (let step = asking.next(); ; ) {
    if (step.done) return step.value;
    left--;
    const answer = await ask(step.value).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ('error' in answer && left > 0 && answer.error instanceof TidegateError && answer.error.retryable) continue;
    left = tries;
    if ('value' in answer) onAnswer();
    step = 'error' in answer ? asking.throw(answer.error) : asking.next(answer.value);
  }
}

/** How a simulator answers each question, at once. */
export type Lookups<K extends keyof Answers = keyof Answers> = { readonly [N in K]: (question: Question<N>) => Answers[N] };

/** Runs it to its end, and answers each question at once. @param step its first question, which may have been asked before. */
export function answeredNow<T>(asking: Asking<T>, lookups: Partial<Lookups>, step = asking.next()): T {
  while (!step.done) {
    const question = step.value;
    step = asking.next((lookups[question.ask] as (question: Ask) => Answers[keyof Answers])(question));
  }
  return step.value;
}
