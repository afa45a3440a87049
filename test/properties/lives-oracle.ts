/**
 * A small and plain simulator of several strategies that share one account and one symbol, written from docs/reference/simulator.md,
 * docs/reference/strategy-api.md and docs/reference/risk.md alone. Prices are tickers; everything happens at once (no latency); any size fills. Prices are
 * whole numbers, quantities whole steps of a thousandth, money BigInt units of 10^-9.
 */
export type Kind = 'spot' | 'netting' | 'futures';
export type SideOf = 'buy' | 'sell';
/** The position that an order opens or closes; `net` on spot and netting accounts. */
export type Book = 'net' | 'long' | 'short';

export interface Legs {
  readonly stopLoss?: number;
  readonly trailBy?: number;
  readonly takeProfit?: number;
}

/** What a strategy asks for at one price. */
export type Wish =
  | {
      readonly do: 'market' | 'limit' | 'stop';
      readonly side: SideOf;
      readonly book: Book;
      readonly steps: number;
      /** Of a limit order, or of a stop its trigger. */
      readonly price?: number;
      readonly reduceOnly: boolean;
      readonly legs?: Legs;
      readonly tag: string;
    }
  | { readonly do: 'protect'; readonly side: SideOf; readonly steps: number; readonly legs: Legs; readonly tag: string }
  | { readonly do: 'cancel' };

type Placed = Extract<Wish, { readonly side: SideOf; readonly book: Book }>;

export interface OracleFill {
  readonly at: number;
  readonly strategy: string;
  readonly side: SideOf;
  readonly book: Book;
  readonly price: number;
  readonly steps: number;
  /** In units of the quote; of spot buys in millionths of a step. */
  readonly fee: bigint;
  readonly maker: boolean;
  readonly tag: string;
}

interface Order {
  readonly id: number;
  readonly strategy: string;
  readonly side: SideOf;
  readonly book: Book;
  tag: string;
  readonly closes: boolean;
  /** Where it waits: at the exchange at its limit, or for its trigger. */
  readonly waits: 'limit' | 'stop' | 'target';
  price: number;
  steps: number;
  readonly trailBy?: number;
  /** Of a close that the engine sends: its size before it was cut to what is left of the position. */
  asked?: number;
  /** Size of a trigger that waits at the exchange, which is cut to the position. */
  sent?: number;
  readonly legs?: Legs;
  /** Orders of one bracket. */
  readonly link?: number;
}

export interface OracleFees {
  /** Millionths. */
  readonly maker: bigint;
  readonly taker: bigint;
}

const MILLION = 1_000_000n;
/** Units of money in one tick of one step. */
const UNIT = 1_000_000n;

export class LivesOracle {
  readonly fills: OracleFill[] = [];
  /** Money that has come in, less what has gone out, in units. */
  cash = 0n;
  last = 0;
  killed = false;
  #now = 0;
  #ids = 0;
  #orders: Order[] = [];
  /** Triggered by this price, and not sent yet. */
  readonly #leaving: Order[] = [];
  /** On their way to the exchange. */
  readonly #arriving: Order[] = [];
  /** Steps that strategies sell at this price and have not sent yet. */
  readonly #promised = new Map<string, number>();
  /** Steps of what is being canceled at this price, by strategy. */
  readonly #freed = new Map<string, number>();
  /** Closes that wait for their coins. */
  readonly #late: Order[] = [];
  readonly #positions = new Map<string, number>();

  constructor(
    private readonly kind: Kind,
    private readonly strategies: readonly string[],
    private readonly fees: OracleFees,
    /** Steps of coins on a spot account at its start, which belong to no strategy. */
    private readonly found = 0,
  ) {}

  /** Steps held; below zero when short on a netting account. */
  held(strategy: string, book: Book): number {
    return this.#positions.get(`${strategy} ${book}`) ?? 0;
  }

  /** Steps of coins on a spot account. */
  coins(): number {
    return this.found + this.strategies.reduce((steps, id) => steps + this.held(id, 'net'), 0);
  }

  /** What the account is worth beyond its first money, in units. */
  worth(): bigint {
    const signed = (id: string) => this.held(id, 'net') + this.held(id, 'long') - this.held(id, 'short');
    const held = this.strategies.reduce((steps, id) => steps + signed(id), this.found);
    return this.cash + BigInt(held * this.last) * UNIT;
  }

  /** The price moves: what rests fills, and what waits for its trigger is due. */
  tick(at: number, price: number): void {
    this.#now = at;
    this.last = price;
    // Triggers of contracts wait at the exchange, before strategies see the price; the others are the engine's, which sees it with them.
    const there = this.kind === 'futures' ? this.#reachedAmong(waitsThere).map((order) => ({ order, steps: order.sent })) : [];
    const resting = this.#orders.filter(({ waits }) => waits === 'limit');
    for (const side of ['buy', 'sell'] as const) {
      const better = side === 'buy' ? -1 : 1;
      const reached = resting.filter((order) => order.side === side && (side === 'buy' ? order.price >= price : order.price <= price));
      for (const order of reached.sort((a, b) => better * (a.price - b.price) || a.id - b.id)) {
        if (this.#orders.includes(order)) this.#meet(order, order.price, true);
      }
    }
    // One that is sent anew after a fill at this price is still there as it was.
    for (const { order, steps } of there.filter((one) => this.#orders.includes(one.order))) {
      this.#fire(this.#arriving.includes(order) ? { ...order } : order, steps);
    }
    for (const stop of this.#orders.filter(({ trailBy }) => trailBy !== undefined)) {
      const behind = stop.side === 'sell' ? price - stop.trailBy! : price + stop.trailBy!;
      if (stop.side === 'sell' ? behind <= stop.price : behind >= stop.price) continue;
      stop.price = behind;
      stop.tag = stop.tag.replace(/stopLoss$/, 'trailingStop');
    }
    this.#judge(this.#reachedAmong(({ trailBy }) => this.kind !== 'futures' || trailBy !== undefined));
  }

  /** What goes out of these: each close finds what those before it leave of the position, and waits where others hold its coins. */
  #judge(reached: readonly Order[]): void {
    for (const order of reached) {
      if (order.closes) {
        const before = sum(this.#leaving.filter((one) => one.closes && one.strategy === order.strategy && one.book === order.book));
        const steps = Math.min(order.steps, this.#closable(order) - before);
        if (steps <= 0 || this.#waitsForCoins(order, steps)) {
          this.#late.push(order);
          continue;
        }
        order.asked ??= order.steps;
        order.steps = steps;
      }
      this.#leaving.push(order);
    }
  }

  /**
   * What the price has triggered goes out, once strategies have seen the price. On spot a limit order gives way to a close at
   * market that its strategy sends at that price, as everything does that holds the coins which this is to sell.
   */
  release(closes: readonly { readonly strategy: string; readonly steps: number }[] = []): void {
    this.#promised.clear();
    for (const { strategy, steps } of this.kind === 'spot' ? closes : []) {
      const own = this.#leaving.filter((order) => order.strategy === strategy && order.side === 'sell' && this.#orders.includes(order));
      const needed = Math.min(steps, this.held(strategy, 'net') - sum(own.filter(({ waits }) => waits === 'stop')));
      const gives = [...own.filter(({ waits }) => waits === 'target'), ...this.#onSale(strategy)];
      this.#giveWay(strategy, gives, needed);
    }
    const leaving = this.#leaving.splice(0);
    this.#arrive();
    this.#sendAll(leaving);
    this.#arrive();
  }

  /** The cancels that closes have waited for are confirmed. What has come to rest since gives way as well. */
  settle(): void {
    while (this.#late.length > 0) {
      this.#freed.clear();
      this.#judge(stopsFirst(this.#late.splice(0).filter((order) => this.#orders.includes(order))));
      this.#sendAll(this.#leaving.splice(0));
    }
    this.#freed.clear();
    this.#arrive();
  }

  #reachedAmong(which: (order: Order) => boolean): Order[] {
    return stopsFirst(this.#orders.filter((order) => order.waits !== 'limit' && which(order) && this.#reached(order)));
  }

  /** Of a close that was cut, the rest goes out as well where its fill has left something of the position. */
  #sendAll(orders: readonly Order[]): void {
    for (const order of orders) {
      if (!this.#orders.includes(order)) continue;
      const before = this.fills.length;
      this.#fire(order);
      const fill = this.fills[before];
      const { asked, ...parts } = order;
      if (fill === undefined || asked === undefined || asked <= fill.steps || this.#closable(order) === 0) continue;
      const rest = { ...parts, steps: asked - fill.steps };
      this.#orders.push(rest);
      this.#late.push(rest);
    }
  }

  /**
   * Whether an order is refused for what its strategy has working, and for what is about to leave: a close that is to rest where
   * both are more than the position, a sale on spot where the coins are not there, or are those of others.
   */
  refuses(strategy: string, wish: Wish): boolean {
    if (wish.do !== 'limit' && wish.do !== 'market') return false;
    const { side, book } = wish;
    const goesOut = [...this.#leaving, ...this.#arriving.filter((order) => this.#reached(order))];
    const due = sum(goesOut.filter((order) => order.strategy === strategy && order.side === side && order.book === book));
    const sale = this.kind === 'spot' && side === 'sell';
    let { steps } = wish;
    if (wish.reduceOnly) {
      if (wish.do === 'market') return false;
      const most = this.#closable({ strategy, side, book });
      steps = Math.min(steps, most);
      if (due + steps + this.#beside({ strategy, side, book }) > most) return true;
      if (sale && steps > this.#unsold()) return true;
    } else if (sale && steps > this.#room(strategy)) return true;
    if (sale) this.#promised.set(strategy, (this.#promised.get(strategy) ?? 0) + steps);
    return false;
  }

  act(strategy: string, wish: Wish): void {
    if (wish.do === 'cancel') {
      this.#orders = this.#orders.filter((order) => order.strategy !== strategy);
      return;
    }
    if (wish.do === 'protect') {
      this.#arm(strategy, wish.side, 'net', wish.steps, wish.legs, wish.tag, this.last);
      return;
    }
    this.#place(strategy, wish);
    this.#arrive();
  }

  kill(flatten: boolean): void {
    this.killed = true;
    this.#orders = [];
    if (!flatten) return;
    for (const strategy of this.strategies) {
      for (const book of this.#books) {
        const held = this.held(strategy, book);
        if (held === 0) continue;
        const side = book === 'short' || held < 0 ? 'buy' : 'sell';
        this.#fill({ strategy, side, book, tag: 'flatten', closes: true }, Math.abs(held), this.last, false);
      }
    }
  }

  get #books(): readonly Book[] {
    return this.kind === 'futures' ? ['long', 'short'] : ['net'];
  }

  #place(strategy: string, wish: Placed): void {
    const { side, book, steps, price, tag, legs } = wish;
    const closes = wish.reduceOnly || (book === 'long' && side === 'sell') || (book === 'short' && side === 'buy');
    if (this.killed && !closes) return;
    const order: Order = {
      id: this.#ids++,
      strategy,
      side,
      book,
      tag,
      closes,
      waits: wish.do === 'stop' ? 'stop' : 'limit',
      price: price ?? this.last,
      steps,
      ...(legs !== undefined && { legs }),
      ...(wish.do === 'stop' && closes && { link: this.#ids++ }),
    };
    if (wish.do === 'stop') {
      if (closes && this.#closable(order) === 0) return;
      this.#orders.push(order);
      if (this.kind === 'futures') this.#arriving.push(order);
      return;
    }
    if (closes) {
      order.steps = Math.min(steps, this.#closable(order));
      if (order.steps === 0) return;
    }
    if (wish.do === 'market' && closes && this.#waitsForCoins(order, order.steps)) {
      const late: Order = { ...order, waits: 'target' };
      this.#orders.push(late);
      this.#late.push(late);
      return;
    }
    const takes = wish.do === 'market' || (side === 'buy' ? this.last <= order.price : this.last >= order.price);
    this.#orders.push(order);
    if (takes) this.#meet(order, this.last, false);
  }

  #reached({ side, price, waits }: Order): boolean {
    return (side === 'buy') === (waits === 'stop') ? this.last >= price : this.last <= price;
  }

  /** A trigger was reached: a close sells at most what its strategy holds, whatever rests beside it. */
  #fire(order: Order, atMost = order.steps): void {
    if (order.closes) {
      order.steps = Math.min(order.steps, atMost, this.#closable(order));
      if (order.steps === 0) {
        this.#end(order);
        return;
      }
    }
    this.#meet(order, this.last, false);
  }

  #meet(order: Order, price: number, maker: boolean): void {
    this.#end(order);
    const steps = order.closes ? Math.min(order.steps, this.#closable(order)) : order.steps;
    if (steps === 0) return;
    // Linked exits shrink together, down to nothing.
    for (const other of this.#orders.filter(({ link }) => link !== undefined && link === order.link)) {
      other.steps -= steps;
      if (other.asked !== undefined) other.asked -= steps;
      if (other.steps <= 0) this.#end(other);
    }
    this.#fill(order, steps, price, maker);
    if (order.legs !== undefined) {
      const brings = this.#brings(order.side, steps, maker);
      this.#arm(order.strategy, order.side === 'buy' ? 'sell' : 'buy', order.book, brings, order.legs, order.tag, price);
    }
    this.#tidy(order.strategy);
  }

  /** Stops and exits go when what they close has gone or turned; of contracts so does every other close. */
  #tidy(strategy: string): void {
    const over = (one: Order) => one.closes && (this.kind === 'futures' || one.waits !== 'limit') && this.#closable(one) === 0;
    this.#orders = this.#orders.filter((one) => one.strategy !== strategy || !over(one));
    // A trigger at the exchange whose size has changed is sent anew, behind the others.
    const fits = ({ sent, ...one }: Order) => sent === undefined || sent === this.#sizeThere(one);
    const anew = this.#orders.filter((one) => one.strategy === strategy && !fits(one));
    this.#orders = [...this.#orders.filter((one) => !anew.includes(one)), ...anew];
    for (const one of anew) delete one.sent;
    this.#arriving.push(...anew);
  }

  #sizeThere(order: Order): number {
    return order.closes ? Math.min(order.steps, this.#closable(order)) : order.steps;
  }

  #end(order: Order): void {
    this.#orders = this.#orders.filter((one) => one !== order);
  }

  /** Spot takes its fee from what is bought. */
  #brings(side: SideOf, steps: number, maker: boolean): number {
    if (this.kind !== 'spot' || side === 'sell') return steps;
    return steps - Number((BigInt(steps) * (maker ? this.fees.maker : this.fees.taker)) / MILLION);
  }

  #arm(strategy: string, side: SideOf, book: Book, steps: number, legs: Legs, tag: string, price: number): void {
    const { stopLoss, trailBy, takeProfit } = legs;
    const link = this.#ids++;
    const base = { strategy, side, book, closes: true, steps, link } as const;
    const start = stopLoss ?? (trailBy === undefined ? undefined : side === 'sell' ? price - trailBy : price + trailBy);
    const armed: Order[] = [];
    if (start !== undefined) {
      const name = stopLoss === undefined ? 'trailingStop' : 'stopLoss';
      const stop = { ...base, id: this.#ids++, waits: 'stop', price: start, tag: `${tag}:${name}` } as const;
      armed.push(trailBy === undefined ? stop : { ...stop, trailBy });
    }
    if (takeProfit !== undefined) armed.push({ ...base, id: this.#ids++, waits: 'target', price: takeProfit, tag: `${tag}:takeProfit` });
    this.#orders.push(...armed);
    if (this.kind === 'futures') this.#arriving.push(...armed.filter((order) => order.trailBy === undefined));
  }

  /** Triggers that wait at the exchange are compared with the price that stands as they arrive. */
  #arrive(): void {
    for (;;) {
      const order = this.#arriving.shift();
      if (order === undefined) return;
      if (!this.#orders.includes(order)) continue;
      order.sent = this.#sizeThere(order);
      if (this.#reached(order)) this.#fire(order);
    }
  }

  #closable({ strategy, side, book }: Pick<Order, 'strategy' | 'side' | 'book'>): number {
    const held = this.held(strategy, book);
    if (book !== 'net') return held;
    return Math.max(0, side === 'sell' ? held : -held);
  }

  /** What a strategy has working on a side, but for stops and exits that only ever reduce. */
  #beside({ strategy, side, book }: Pick<Order, 'strategy' | 'side' | 'book'>): number {
    const working = this.#orders.filter((one) => one.strategy === strategy && one.side === side && one.book === book);
    return sum(working.filter(({ waits, closes }) => waits === 'limit' || !closes)) + (side === 'sell' ? this.#freedOf(strategy) : 0);
  }

  #onSale(strategy: string): Order[] {
    return this.#orders.filter((order) => order.strategy === strategy && order.side === 'sell' && order.waits === 'limit');
  }

  #freedOf(strategy: string): number {
    return this.#freed.get(strategy) ?? 0;
  }

  #selling(strategy: string): number {
    const leaving = this.#leaving.filter((order) => order.strategy === strategy && order.side === 'sell' && this.#orders.includes(order));
    return sum(this.#onSale(strategy)) + this.#freedOf(strategy) + (this.#promised.get(strategy) ?? 0) + sum(leaving);
  }

  /** Coins of the account that are not on sale. */
  #unsold(): number {
    return this.coins() - this.strategies.reduce((steps, id) => steps + this.#selling(id), 0);
  }

  /** Coins that others hold and do not sell. */
  #ofOthers(strategy: string): number {
    const others = this.strategies.filter((id) => id !== strategy);
    return others.reduce((steps, id) => steps + Math.max(0, this.held(id, 'net') - this.#selling(id)), 0);
  }

  /** On spot, what rests gives way to a close whose coins it holds. @returns whether the close waits until that is gone. */
  #waitsForCoins({ strategy, side }: Order, steps: number): boolean {
    if (this.kind !== 'spot' || side === 'buy') return false;
    this.#giveWay(strategy, this.#onSale(strategy), steps);
    return this.#freedOf(strategy) > 0 && this.#room(strategy) < steps;
  }

  /** Orders that hold the coins of a close are canceled, the newest first and no more than it takes. */
  #giveWay(strategy: string, orders: readonly Order[], steps: number): void {
    for (const order of [...orders].sort((a, b) => b.id - a.id)) {
      if (this.#room(strategy) + this.#freedOf(strategy) >= steps) return;
      this.#end(order);
      this.#freed.set(strategy, this.#freedOf(strategy) + order.steps);
    }
  }

  /** Coins that a strategy may sell: those that are not on sale, less what others hold. */
  #room(strategy: string): number {
    return this.#unsold() - this.#ofOthers(strategy);
  }

  #fill(order: Pick<Order, 'strategy' | 'side' | 'book' | 'tag' | 'closes'>, steps: number, price: number, maker: boolean): void {
    const { strategy, side, book, tag } = order;
    const rate = maker ? this.fees.maker : this.fees.taker;
    const inBase = this.kind === 'spot' && side === 'buy';
    const notional = BigInt(price * steps) * UNIT;
    const fee = inBase ? BigInt(steps) * rate : (notional * rate) / MILLION;
    this.cash += (side === 'sell' ? notional : -notional) - (inBase ? 0n : fee);
    const opens = book === 'short' ? side === 'sell' : side === 'buy';
    const key = `${strategy} ${book}`;
    this.#positions.set(key, this.held(strategy, book) + (opens ? this.#brings(side, steps, maker) : -steps));
    this.fills.push({ at: this.#now, strategy, side, book, price, steps, fee, maker, tag });
  }
}

function sum(orders: readonly Order[]): number {
  return orders.reduce((steps, order) => steps + order.steps, 0);
}

/** Of contracts, whether a trigger waits at the exchange: all but those that trail. */
function waitsThere({ waits, trailBy }: Order): boolean {
  return waits !== 'limit' && trailBy === undefined;
}

/** Stops go before limits. */
function stopsFirst(orders: readonly Order[]): Order[] {
  return [...orders.filter(({ waits }) => waits === 'stop'), ...orders.filter(({ waits }) => waits !== 'stop')];
}
