import type { OrderRecord } from '../../matching/futures/records.ts';
import { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { invariant, TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import { NOTHING_HELD } from '../../ports/execution-venue.ts';
import { BEHAVIOUR, type Behaviour } from '../behaviour.ts';
import { defined, type ExchangeOptions, LISTS, type ListSettings } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { ActionKind, ArgsOf, Performers, Placed, ResultOf } from './actions.ts';
import { type Coin, coinsOf, sumCoin, worthOf } from './coins.ts';
import { AccountDirectory, type AccountSpec, credentialsOf, ExchangeAccount } from './exchange-account.ts';
import { Listings } from './listings.ts';
import { Market } from './market.ts';
import { unitsOf } from './order-checks.ts';
import { OrderStore, type Visibility, WireIds } from './order-store.ts';
import { TradingDesk } from './trading-desk.ts';
import { Treasury } from './treasury.ts';
import { WALLET_NAMES } from './wallets.ts';

/** The simulator's own default. */
const MARK_MAX_AGE_MS = 60_000;

/** The whole exchange behind its HTTP servers: deterministic, without clock, file or socket. */
export class Exchange {
  readonly behaviour: Behaviour;
  /** May change at run time: it changes the display, not the events. */
  lists: ListSettings;
  readonly accounts = new AccountDirectory();
  readonly instruments: readonly Instrument[];
  readonly coins: readonly Coin[];
  readonly market: Market;
  readonly matching: MatchingEngine;
  readonly ids: WireIds;
  readonly treasury: Treasury;
  readonly listings: Listings;
  readonly #desk: TradingDesk;
  readonly #performers: Performers;

  /** @param startedAt epoch ms: the accounts are opened then, and ids begin with it. */
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
    this.listings = new Listings(options.listings);
    this.market = new Market(instruments, this.matching, matching.markMaxAgeMs ?? MARK_MAX_AGE_MS);
    this.#desk = new TradingDesk({
      matching: this.matching,
      market: this.market,
      listings: this.listings,
      behaviour: this.behaviour,
    });
    this.treasury = new Treasury(this.accounts, this.ids);
    openAccounts(this, accounts, visibility);
    this.#performers = this.#perform();
  }

  /** Changes the exchange. @throws Refusal if the whole action is refused. */
  perform<K extends ActionKind>(kind: K, args: ArgsOf<K>, time: number): ResultOf<K> {
    const result = this.#performers[kind](args, time);
    // Preset exits of an order are placed once it is over, whatever ended it.
    for (const account of this.accounts.all) this.#desk.placePresets(account, time);
    return result;
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
      placeFutures: ({ uid, symbol, orders }, time) => {
        const instrument = this.#instrument(symbol);
        return orders.map((order) => attempt(() => this.#desk.placeFutures(account(uid), instrument, order, time)));
      },
      placeTpSl: ({ uid, symbol, order }, time) => attempt(() => this.#desk.placeTpSl(account(uid), this.#instrument(symbol), order, time)),
      moveTrigger: ({ uid, key, triggerPrice, price }, time) => this.#desk.moveTrigger(account(uid), key, triggerPrice, price, time),
      cancel: ({ uid, key }, time) => this.#desk.cancel(account(uid), key, time),
      leverage: ({ uid, symbol, long, short }, time) => {
        const refusal = account(uid).futures.setLeverage(this.#instrument(symbol), new Decimal(long), new Decimal(short), time);
        if (refusal !== undefined) throw new Refusal('40015', `FAILED_PRECONDITION: ${refusal}`);
      },
      deposit: ({ uid, wallet, coin, amount }, time) => account(uid).deposit(time, wallet, coin, new Decimal(amount)),
      transfer: ({ uid, coin, amount, from, to }, time) => this.treasury.transfer(account(uid), coin, amount, from, to, time),
      withdraw: (order, time) => this.treasury.withdraw(order, time),
      settle: ({ id }, time) => this.treasury.settle(id, time),
      failWithdrawals: ({ count }) => {
        this.treasury.failures = count;
      },
      agree: ({ uid, symbol, side, price }, time) => {
        const instrument = this.#instrument(symbol);
        const ticks = unitsOf(instrument, instrument, 'price', price);
        this.matching.forceClose(
          account(uid).trading,
          instrument,
          side,
          { type: 'agreementClose', ticks, most: Number.MAX_SAFE_INTEGER },
          time,
        );
      },
      deleverage: ({ uid, symbol, side, price, quantity }, time) => {
        const instrument = this.#instrument(symbol);
        const ticks = unitsOf(instrument, instrument, 'price', price);
        const most = quantity === undefined ? Number.MAX_SAFE_INTEGER : unitsOf(instrument, instrument, 'size', quantity);
        this.matching.forceClose(account(uid).trading, instrument, side, { type: 'autoDeleveraging', ticks, most }, time);
      },
      grid: ({ symbol, ...change }) => this.listings.change(this.#instrument(symbol), change),
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

/** Larger than a double can represent, like real ones. */
const FIRST_UID = 690_800_371_848_700_001n;

/** The exchange at which they are opened. */
interface Opening {
  readonly accounts: AccountDirectory;
  readonly ids: WireIds;
  readonly matching: MatchingEngine;
  readonly market: Market;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly options: Pick<ExchangeOptions, 'name' | 'margin' | 'instruments'>;
  readonly behaviour: Behaviour;
}

/**
 * Opens the accounts of the config, with their balances and inviters.
 * @throws TidegateError CONFIG_INVALID for repeated names, or an unknown inviter.
 */
function openAccounts(exchange: Opening, specs: readonly AccountSpec[], visibility: Visibility): void {
  const { accounts, startedAt, market } = exchange;
  const coin = sumCoin(exchange.options.instruments);
  const worth = (quote: string) => worthOf(quote, coin, market.views);
  for (const [index, spec] of specs.entries()) {
    const account = new ExchangeAccount({
      name: spec.name,
      uid: spec.uid ?? String(FIRST_UID + BigInt(index)),
      credentials: credentialsOf(exchange.options.name, spec),
      registerTime: startedAt,
      kyc: spec.kyc ?? true,
      ids: exchange.ids,
      orders: new OrderStore(exchange.ids, visibility, worth, exchange.behaviour),
      feePlaces: exchange.behaviour.feePlaces,
      margin: (instrument) => exchange.options.margin(instrument, spec.name),
      onFill: (fill) => market.traded(fill),
    });
    accounts.add(account);
    exchange.matching.addAccount(account.trading);
    account.affiliate = spec.affiliate ?? false;
    account.subAffiliate = spec.subAffiliate ?? false;
    account.frozen = spec.frozen ?? false;
    for (const wallet of WALLET_NAMES) {
      for (const [coin, amount] of Object.entries(spec.balances?.[wallet] ?? {}))
        account.deposit(startedAt, wallet, coin, new Decimal(amount));
    }
  }
  for (const { name, invitedBy } of specs) {
    if (invitedBy === undefined) continue;
    const inviter = accounts.named(invitedBy);
    if (inviter === undefined || invitedBy === name) {
      throw new TidegateError('CONFIG_INVALID', `accounts: "${name}" is invited by "${invitedBy}", which is not another account`);
    }
    accounts.named(name)!.inviter = inviter.uid;
  }
}

/** The order by which the exchange itself closes a position, in the form of a user's order. */
function requestOfLiquidation(record: OrderRecord): OrderRequest {
  const { instrument, side, positionSide, type, timeInForce, postOnly, quantity } = record;
  return {
    clientOrderId: '',
    strategyId: '',
    instrument,
    side,
    positionSide,
    type,
    timeInForce,
    postOnly,
    reduceOnly: true,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps: instrument.step.floorUnits(quantity),
    quoteQuantity: undefined,
    tag: 'liquidation',
    released: false,
    decidedSequence: 0,
    seenSequence: 0,
  };
}
