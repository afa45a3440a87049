import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { ACCOUNT_MEMORY } from '../../src/app/live/bot/account-check.ts';
import { readKnown } from '../../src/app/live/bot/journal-history.ts';
import { stateOf } from '../../src/app/wiring/container.ts';
import { withJournal } from '../../src/journal/journal-reader.ts';
import type { JournalValues } from '../../src/journal/journal-record.ts';
import type { OrderEntry } from '../../src/local-exchange/core/order-store.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import { closes } from '../../src/model/order.ts';
import { Random } from '../../src/model/random.ts';
import { resumeState } from '../../src/state/apply.ts';
import type { Markets } from './exchange-side.ts';
import type { Life, World } from './world.ts';

/**
 * What people do around a bot in a seed: its owner trades the account by hand; starts it with the keys of another account, or with a
 * new key of its own; puts an older copy of its journal back.
 */
export type Deed = 'hands' | 'otherKeys' | 'newKey' | 'restored';

/** Share of the seeds in which each is done. */
const SHARES: readonly (readonly [Deed, number])[] = [
  ['hands', 0.12],
  ['otherKeys', 0.08],
  ['newKey', 0.06],
  ['restored', 0.14],
];

/** What client ids of orders by hand begin with. */
const HAND = 'hand-';
/** Between two trades by hand, and from one to the reset of what it halted, in ms. */
const HANDS_EVERY = [3_000, 12_000] as const;
const RESET_AFTER_MS = 20_000;
/** From when nothing of a life is late any more to when a person looks at what came of it, in ms. */
const LOOK_AFTER_MS = 5_000;
/** A fill is read so long after it is listed: a poll each 5 s, an answer that is 3 s old, and one that fails. */
const READ_WITHIN_MS = 15_000;
/** What a process that is gone has sent may arrive for so long after: the longest delay of a fault, and the way. */
const ARRIVES_WITHIN_MS = 31_000;
/** A start is refused or complete after so long at the latest, however many of its requests fail. */
const STARTED_WITHIN_MS = 1_800_000;

const ENDS = ['', '-wal', '-shm'];

/** What is done in a seed, drawn from a stream of its own. */
export class People {
  /** What was wrong. */
  readonly wrong: string[] = [];
  readonly deed: Deed | undefined;
  readonly #random: Random;
  #hands = 0;
  /** Whether the mark is in the backup, too. */
  readonly #isWhole: boolean;
  /** Epoch ms: of the backup, of the start with it, and of the reset after it. */
  #savedAt = Number.NaN;
  #restoredAt = Number.NaN;
  #resetAt = Number.NaN;
  #isDone = false;
  /** The bot has begun once, and its journal knows it. */
  #isBegun = false;
  /** Everything was halted when a person looked. */
  #wasHalted = false;
  /** Epoch ms since when, and the orders that the bot had decided on by then. */
  #haltedAt = Number.NaN;
  #decided: ReadonlySet<string> = new Set();
  /** Client ids that the journal had given and the one that was put back does not know. */
  #lostIds: ReadonlySet<string> = new Set();

  constructor(
    seed: number,
    kind: Markets['kind'],
    private readonly journal: string,
    /** Whether anything is done at all. */
    isThere = true,
  ) {
    this.#random = new Random(seed, 'people');
    let drawn = this.#random.uniform();
    const deed = SHARES.find(([, share]) => {
      drawn -= share;
      return drawn < 0;
    })?.[0];
    // Of futures, trades by hand and of the bot are told apart by sums alone where both come at once: no seed can say which is right.
    this.deed = !isThere || (deed === 'hands' && kind === 'futures') ? undefined : deed;
    this.#isWhole = this.#random.uniform() < 0.5;
  }

  /** So many deaths are needed for it. */
  get kills(): number {
    return this.deed === 'restored' ? 2 : this.deed === 'otherKeys' || this.deed === 'newKey' ? 1 : 0;
  }

  /** Begins with what goes on beside the bot. @param life the one that is there. */
  begin(world: World, life: () => Life): void {
    if (this.deed === 'restored') this.#lookEachTime(world, life);
    if (this.deed !== 'hands') return;
    const next = () => {
      const { clock } = world;
      if (world.restsFrom <= clock.now()) return;
      // Nobody trades while the very first start takes the account as it is.
      if (this.#isBegun) {
        this.#trade(world);
        clock.schedule(clock.now() + RESET_AFTER_MS, () => reset(life()));
      }
      this.#isBegun ||= life().bot.reconciled && this.#namesAccount(world);
      clock.schedule(clock.now() + this.#random.between(...HANDS_EVERY), next);
    };
    world.clock.schedule(world.clock.now() + this.#random.between(...HANDS_EVERY), next);
  }

  /** Between a death and the next start. */
  async between(world: World): Promise<void> {
    if (this.#isDone || this.deed === undefined || this.deed === 'hands') return;
    if (this.deed === 'restored') {
      if (Number.isNaN(this.#savedAt)) this.#save(world);
      else this.#restore(world);
      return;
    }
    // What was done last is visible by then, so that the account can be proved.
    await world.clock.runTo(world.clock.now() + RESET_AFTER_MS);
    if (!this.#isProvable(world)) return;
    this.#isDone = true;
    if (this.deed === 'newKey') world.renewKey();
    else await this.#startWithOtherKeys(world);
  }

  /** After a start: a person looks at what came of a restored journal, cancels what it does not know, and resets. */
  async after(world: World, life: Life): Promise<void> {
    if (Number.isNaN(this.#restoredAt) || !Number.isNaN(this.#resetAt)) return;
    const { clock } = world;
    await clock.runTo(clock.now() + STARTED_WITHIN_MS, () => life.over || life.bot.reconciled);
    const lookAt = clock.now() + LOOK_AFTER_MS;
    await clock.runTo(lookAt, () => life.over || everyHalted(world, life));
    this.#haltedAt = clock.now();
    this.#decided = new Set([...life.bot.state.openOrders.keys(), ...life.bot.state.endedOrders.keys()]);
    await clock.runTo(lookAt, () => life.over);
    if (life.over) return;
    this.#wasHalted = everyHalted(world, life);
    // What has only just been listed may not be read yet.
    const isShown = ({ instrument, fills }: OrderEntry) =>
      instrument.contract === undefined && fills.some(({ shownFrom }) => shownFrom < clock.now() - READ_WITHIN_MS);
    // A copy of the whole folder shows its age by orders alone: of futures, by what they have filled.
    const lost = this.#lost(world).filter((entry) => life.bot.state.order(entry.clientOrderId) === undefined);
    if (!this.#wasHalted && lost.some((entry) => !this.#isWhole || isShown(entry)))
      this.wrong.push('a journal that lost its end was not halted');
    cancelUnknown(world, life);
    await clock.runTo(clock.now() + LOOK_AFTER_MS, () => life.over);
    this.#resetAt = clock.now();
    reset(life);
  }

  /** A person looks at the bot while all is quiet: cancels what it does not know, and resets what is halted. */
  see(world: World, life: Life): void {
    if (this.deed === undefined || life.over || life.clock.dead || !isHalted(life)) return;
    if (this.#resetAt > 0) cancelUnknown(world, life);
    life.bot.reset();
  }

  /** Whether an order of the exchange is none that the journal has to know. */
  isExempt({ clientOrderId, createdTime }: OrderEntry): boolean {
    const isLate = createdTime > this.#restoredAt && createdTime <= this.#restoredAt + ARRIVES_WITHIN_MS;
    return (
      clientOrderId.startsWith(HAND) ||
      (createdTime > this.#savedAt && createdTime <= this.#restoredAt) ||
      (isLate && this.#lostIds.has(clientOrderId))
    );
  }

  /**
   * Whether an order that the older journal does not know came so shortly before the start with it, or after that, that no read of that
   * start can have shown it: nothing said then that its client id is taken.
   */
  isUnseen(clientOrderId: string, time: number, lagMs: number): boolean {
    return this.#lostIds.has(clientOrderId) && time > this.#restoredAt - lagMs;
  }

  /** Whether an order of that time was in the backup: one that the engine held keeps its client id. */
  isSaved(time: number): boolean {
    return time <= this.#savedAt;
  }

  /** What was opened while everything was halted, and who let the other account trade. */
  check(world: World, life: Life): string[] {
    const seen = world.account.orders.all.filter((entry) => {
      const { createdTime, request, clientOrderId } = entry;
      const isAfter = createdTime > this.#haltedAt && createdTime < this.#resetAt && !this.#decided.has(clientOrderId);
      return isAfter && !isClosing(request) && !this.isExempt(entry);
    });
    const covers = seen.length === 0 ? undefined : coveringBuys(world, life);
    const opened = seen.filter(({ clientOrderId }) => covers?.has(clientOrderId) !== true);
    const others = world.core.exchange.accounts.named('other')?.orders.all.length ?? 0;
    return [
      ...this.wrong,
      ...(this.#resetAt > 0 && this.#wasHalted ? opened.map((one) => `${one.clientOrderId} opened while the journal was in doubt`) : []),
      ...(others > 0 ? [`${others} orders of the other account`] : []),
    ];
  }

  /** Orders that the restored journal lacks. */
  #lost({ account }: World): OrderEntry[] {
    return account.orders.all.filter((entry) => entry.orderId !== '' && entry.clientOrderId !== '' && this.isExempt(entry));
  }

  #trade({ instruments, core, account }: World): void {
    const spot = instruments.filter(({ contract }) => contract === undefined);
    const instrument = spot[Math.floor(this.#random.uniform() * spot.length)]!;
    const side = this.#random.uniform() < 0.5 ? 'buy' : 'sell';
    // A market buy says its amount in one coin or the other, as the exchange has it: by hand one asks far above the price.
    const price = String(Math.round(Number(core.exchange.market.view(instrument).lastTicks) * (side === 'buy' ? 1.05 : 0.95)) / 100);
    const quantity = (0.001 + this.#random.uniform() * 0.01).toFixed(4);
    const order = { side, orderType: 'limit', force: 'ioc', price, quantity, clientOrderId: `${HAND}${++this.#hands}` } as const;
    core.act('placeSpot', { uid: account.uid, symbol: instrument.symbol, orders: [order] });
  }

  #save(world: World): void {
    // One that has not begun leaves nothing to put back.
    if (!this.#namesAccount(world)) return;
    for (const end of this.#isWhole ? [...ENDS, '.mark'] : ENDS) copy(`${this.journal}${end}`, `${this.journal}.backup${end}`);
    this.#savedAt = world.clock.now();
  }

  #restore(world: World): void {
    const given = this.#given(world);
    const sent = this.#sent(world);
    for (const end of this.#isWhole ? [...ENDS, '.mark'] : ENDS) copy(`${this.journal}.backup${end}`, `${this.journal}${end}`);
    // What the older journal holds was sent by the gone process alone, if at all.
    const held = this.#held(world);
    const known = new Set([...this.#given(world)].filter((id) => !held.has(id) || !sent.has(id)));
    this.#lostIds = new Set([...given].filter((id) => !known.has(id)));
    this.#restoredAt = world.clock.now();
    this.#isDone = true;
  }

  /** Client ids of the orders in the journal. */
  #given({ instruments }: World): Set<string> {
    return withJournal(this.journal, instruments, (journal) => {
      const events = [...journal.records()].flatMap(({ kind, value }) =>
        kind === 'event' ? [(value as { readonly event: AccountEvent }).event] : [],
      );
      return new Set(events.flatMap((event) => (event.kind === 'orderSubmitted' ? [event.clientOrderId] : [])));
    });
  }

  /** Client ids that requests in the journal name. */
  #sent({ instruments }: World): Set<string> {
    return withJournal(this.journal, instruments, (journal) => {
      const requests = [...journal.records()].flatMap(({ kind, value }) => (kind === 'request' ? [value as JournalValues['request']] : []));
      return new Set(requests.flatMap(({ clientOrderIds }) => clientOrderIds));
    });
  }

  /** Client ids of the orders that the engine holds at the end of the journal. */
  #held({ instruments, plan }: World): Set<string> {
    return withJournal(this.journal, instruments, (journal) => {
      const { openOrders } = readKnown(plan, journal).state;
      return new Set([...openOrders.values()].filter(({ held }) => held).map(({ clientOrderId }) => clientOrderId));
    });
  }

  /** What the gone process has sent may arrive later, and a death takes a reset along: a person looks again, for as long as there is trade. */
  #lookEachTime(world: World, life: () => Life): void {
    const { clock } = world;
    const look = () => {
      if (world.restsFrom <= clock.now()) return;
      const { over, clock: mortal, bot } = life();
      if (this.#resetAt > 0 && !over && !mortal.dead && bot.reconciled) {
        cancelUnknown(world, life());
        clock.schedule(clock.now() + LOOK_AFTER_MS, () => this.see(world, life()));
      }
      clock.schedule(clock.now() + RESET_AFTER_MS, look);
    };
    clock.schedule(clock.now() + RESET_AFTER_MS, look);
  }

  /** The first start is in the journal: a bot that is killed before takes the account anew as it is. */
  #namesAccount({ instruments }: World): boolean {
    return existsSync(this.journal) && withJournal(this.journal, instruments, (journal) => journal.recall(ACCOUNT_MEMORY)) !== undefined;
  }

  /** The journal names its account, and knows an order that can be looked up. */
  #isProvable({ instruments, plan }: World): boolean {
    if (!existsSync(this.journal)) return false;
    return withJournal(this.journal, instruments, (journal) => {
      if (journal.recall(ACCOUNT_MEMORY) === undefined) return false;
      if (instruments.some(({ contract }) => contract !== undefined)) return true;
      const { endedOrders, openOrders } = readKnown(plan, journal).state;
      return [...endedOrders.values(), ...openOrders.values()].some(({ orderId }) => orderId !== '');
    });
  }

  async #startWithOtherKeys(world: World): Promise<void> {
    const { clock } = world;
    const life = world.start(undefined, world.otherAccount.identity.credentials);
    await clock.runTo(clock.now() + STARTED_WITHIN_MS, () => life.over);
    // Where the wire answered none of its questions for so long, it still waits, and has begun nothing.
    const isWaiting = !life.over && !life.bot.reconciled;
    const code = (life.failure as { code?: string } | undefined)?.code;
    if (code !== 'ACCOUNT_DIFFERS' && !isWaiting)
      this.wrong.push(`the keys of another account: ${life.over ? String(life.failure) : 'not refused'}`);
    if (!life.clock.dead) world.kill(life);
    await clock.runTo(clock.now() + 1_000);
  }
}

function copy(from: string, to: string): void {
  rmSync(to, { force: true });
  if (existsSync(from)) copyFileSync(from, to);
}

function reset({ over, bot, clock }: Life): void {
  if (!over && !clock.dead && bot.reconciled) bot.reset();
}

function isHalted({ bot: { state } }: Life): boolean {
  return [...state.health.values()].some(({ condition }) => condition === 'halted');
}

function cancelUnknown(world: World, life: Life): void {
  for (const entry of world.account.orders.live) if (!isKnown(entry, life)) world.core.cancel(world.account.uid, entry);
}

function everyHalted({ instruments }: World, { bot: { state } }: Life): boolean {
  const halted = new Set([...state.health.values()].filter(({ condition }) => condition === 'halted').map(({ symbol }) => symbol));
  return instruments.every(({ symbol }) => halted.has(symbol));
}

function isKnown({ clientOrderId, orderId }: OrderEntry, { bot: { state } }: Life): boolean {
  if (clientOrderId.startsWith(HAND) || state.order(`adopted-${orderId}`) !== undefined) return true;
  const order = state.order(clientOrderId);
  // The answer to its request may be on its way.
  return order !== undefined && (order.orderId === orderId || order.orderId === '');
}

function isClosing(request: OrderEntry['request']): boolean {
  return request.positionSide === 'net' ? request.side === 'sell' : closes(request);
}

/**
 * Spot buys that were decided while their strategy had sold more than it held, and were no larger than that: they reduce what it is short
 * of, which a halt lets pass.
 */
function coveringBuys({ plan }: World, { journal }: Life): ReadonlySet<string> {
  const state = stateOf(plan, true);
  const covering = new Set<string>();
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, value } of journal.records()) {
      if (kind === 'market') yield value as MarketEvent;
      if (kind !== 'event') continue;
      const { event } = value as { readonly event: AccountEvent };
      if (event.kind === 'orderSubmitted' && event.request.side === 'buy' && event.request.positionSide === 'net') {
        const { strategyId, instrument, steps = 0 } = event.request;
        if (steps <= -state.bookOf(strategyId).position(instrument, 'net').steps) covering.add(event.clientOrderId);
      }
      yield event;
    }
  }
  resumeState(state, events());
  return covering;
}

/** Removes what is left of a backup. */
export function forgetBackup(journal: string): void {
  for (const end of [...ENDS, '.mark']) rmSync(`${journal}.backup${end}`, { force: true });
}
