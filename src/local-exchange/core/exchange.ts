import { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { NOTHING_HELD } from '../../ports/nothing-held.ts';
import { AccountDirectory } from '../accounts/account-directory.ts';
import { Treasury } from '../accounts/treasury.ts';
import { defined } from '../defined.ts';
import { type Coin, coinsOf } from '../market/coin.ts';
import { Market } from '../market/market.ts';
import { BEHAVIOUR, type Behaviour, type ExchangeOptions, LISTS, type ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { ListingRules } from '../trading/listing-rules.ts';
import type { Visibility } from '../trading/order-store.ts';
import { TradingDesk } from '../trading/trading-desk.ts';
import { WireIds } from '../trading/wire-ids.ts';
import type { ActionKind, ArgsOf, Performers, Placed, ResultOf } from './actions.ts';
import { openAccounts } from './open-accounts.ts';
import { requestOfLiquidation } from './request-of-liquidation.ts';

/** The matching room's own default. */
const MARK_MAX_AGE_MS = 60_000;

/** The whole exchange behind its doors: deterministic, without clock, file or socket. */
export class Exchange {
  readonly behaviour: Behaviour;
  /** May change while it runs: it changes what is shown, not what happened. */
  lists: ListSettings;
  readonly accounts = new AccountDirectory();
  readonly instruments: readonly Instrument[];
  readonly coins: readonly Coin[];
  readonly market: Market;
  readonly matching: MatchingEngine;
  readonly ids: WireIds;
  readonly treasury: Treasury;
  readonly #desk: TradingDesk;
  readonly #performers: Performers;

  /** @param startedAt epoch ms: accounts open then, and ids begin with it. */
  constructor(
    readonly options: ExchangeOptions,
    readonly startedAt: number,
    visibility: Visibility,
  ) {
    const { instruments, accounts, fills, matching = {} } = options;
    this.instruments = instruments;
    this.behaviour = { ...BEHAVIOUR, ...options.behaviour };
    this.lists = { ...LISTS, ...options.lists };
    this.coins = coinsOf(options.coins ?? [], instruments, mentionedCoins(options));
    this.ids = new WireIds(startedAt);
    this.matching = new MatchingEngine({
      instruments,
      onBars: false,
      settings: fills,
      held: NOTHING_HELD,
      pause: () => {},
      ...defined(matching),
      orderEnded: (account, record) => {
        const owner = this.accounts.all.find(({ trading }) => trading === account);
        owner?.orders.ended(record, requestOfLiquidation);
      },
    });
    this.market = new Market(instruments, this.matching, matching.markMaxAgeMs ?? MARK_MAX_AGE_MS);
    this.#desk = new TradingDesk({
      matching: this.matching,
      market: this.market,
      rulesOf: (instrument) => this.rulesOf(instrument),
      marketBuyByQuote: this.behaviour.marketBuyByQuote,
    });
    this.treasury = new Treasury(this.accounts, this.ids);
    openAccounts(this, accounts, visibility);
    this.#performers = this.#perform();
  }

  rulesOf(instrument: Instrument): ListingRules {
    return this.options.listings?.get(instrument.symbol) ?? {};
  }

  /** Changes the exchange. @throws Refusal where the action is refused as a whole. */
  perform<K extends ActionKind>(kind: K, args: ArgsOf<K>, time: number): ResultOf<K> {
    return this.#performers[kind](args, time);
  }

  #perform(): Performers {
    const account = (uid: string) => this.accounts.get(uid);
    return {
      price: (args, time) => this.market.take([args], time),
      prices: (args, time) => this.market.take(args, time),
      placeSpot: ({ uid, symbol, orders }, time) => {
        const instrument = this.#instrument(symbol);
        return orders.map((order) => attempt(() => this.#desk.placeSpot(account(uid), instrument, order, time)));
      },
      placeTrigger: ({ uid, symbol, order }, time) =>
        attempt(() => this.#desk.placeTrigger(account(uid), this.#instrument(symbol), order, time)),
      cancel: ({ uid, key }, time) => this.#desk.cancel(account(uid), key, time),
      deposit: ({ uid, wallet, coin, amount }, time) => account(uid).deposit(time, wallet, coin, new Decimal(amount)),
      transfer: ({ uid, coin, amount, from, to }, time) => this.treasury.transfer(account(uid), coin, amount, from, to, time),
      withdraw: (order, time) => this.treasury.withdraw(order, time),
      settle: ({ id }, time) => this.treasury.settle(id, time),
      failWithdrawals: ({ count }) => {
        this.treasury.failures = count;
      },
      standing: ({ uid, ...standing }) => {
        Object.assign(account(uid), defined(standing));
      },
    };
  }

  #instrument(symbol: string): Instrument {
    const found = this.instruments.find((instrument) => instrument.symbol === symbol);
    invariant(found !== undefined, 'an action names a listed instrument');
    return found;
  }
}

function attempt(place: () => Extract<Placed, { entry: unknown }>['entry']): Placed {
  try {
    return { entry: place() };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
}

function mentionedCoins({ accounts }: ExchangeOptions): string[] {
  return accounts.flatMap(({ balances = {} }) => Object.values(balances).flatMap((byCoin) => Object.keys(byCoin ?? {})));
}
