import type { OrderEntry } from '../../src/local-exchange/core/order-store.ts';
import type { FaultRule } from '../../src/local-exchange/faults.ts';
import { Random } from '../../src/model/random.ts';
import { EXIT } from './lost-exits.ts';
import type { Life, World } from './world.ts';

/** Share of the seeds in which each happens. */
const SHARE = 0.05;
/** Share of the requests to place that a gateway answers in place of the exchange. */
const PHANTOMS = 0.08;
/** Between two exits that are canceled by hand, and from one look at what is halted to the next, in ms. */
const CANCELS_EVERY = [3_000, 15_000] as const;
const LOOKS_EVERY_MS = 20_000;
/** Ms after the start of the world at which ticks and steps change: most of the trades are before it, as nothing opens then. */
const CHANGES_AFTER_MS = 40_000;
/** The new one is so many times as large. */
const COARSER = 10;
/** Why these halt, and a person resets it. */
const HALTS = /has vanished|was canceled at the exchange again/;

/** How the halt for a changed tick or step begins. It lasts as long as the config has the old one. */
const CHANGED = 'the grid of ';

/**
 * What happens rarely around a bot, each drawn from a stream of its own: orders that vanish, exits that somebody cancels at the exchange,
 * and ticks and steps that change there.
 */
export class Rare {
  readonly #random: Random;
  readonly #vanish: boolean;
  readonly #cancels: boolean;
  readonly #grids: Random;
  readonly #changes: boolean;
  /** Client ids of exits that were canceled by hand. */
  readonly canceled = new Set<string>();

  constructor(seed: number) {
    this.#vanish = new Random(seed, 'vanish').uniform() < SHARE;
    this.#random = new Random(seed, 'canceled exits');
    this.#cancels = this.#random.uniform() < SHARE;
    this.#grids = new Random(seed, 'changed grids');
    this.#changes = this.#grids.uniform() < SHARE;
  }

  get rules(): readonly FaultRule[] {
    return this.#vanish ? [{ fault: 'phantom', chance: PHANTOMS }] : [];
  }

  /** A person looks after the bot. */
  get isThere(): boolean {
    return this.#vanish || this.#cancels;
  }

  /** Ticks or steps have changed. */
  get hasChanged(): boolean {
    return this.#changes;
  }

  /** Whether an instrument may be halted for this at the end. */
  explains(reason: string): boolean {
    return this.#changes && reason.startsWith(CHANGED);
  }

  /** @param life the one that is there. */
  begin(world: World, life: () => Life): void {
    if (this.#cancels) this.#cancelEach(world, life);
    if (this.#changes) world.clock.schedule(world.clock.now() + CHANGES_AFTER_MS, () => this.#change(world));
    if (this.isThere) this.#lookEach(world, life);
  }

  /** A person resets what these have halted. */
  see({ over, bot, clock }: Life): void {
    if (!this.isThere || over || clock.dead || !bot.reconciled) return;
    if ([...bot.state.health.values()].some(({ condition, reason }) => condition === 'halted' && HALTS.test(reason))) bot.reset();
  }

  #change({ core, instruments }: World): void {
    for (const { symbol, tick, step } of instruments) {
      const drawn = this.#grids.uniform();
      if (drawn < 1 / 3) core.act('grid', { symbol, stepSize: step.toText(COARSER) });
      else if (drawn < 2 / 3) core.act('grid', { symbol, tickSize: tick.toText(COARSER) });
    }
  }

  #cancelEach(world: World, life: () => Life): void {
    const { clock, core, account } = world;
    const next = () => {
      if (world.restsFrom <= clock.now()) return;
      const exits = account.orders.live.filter((entry) => isExit(entry, life()));
      const exit = exits[Math.floor(this.#random.uniform() * exits.length)];
      if (exit !== undefined) {
        core.cancel(account.uid, exit);
        this.canceled.add(exit.clientOrderId);
      }
      clock.schedule(clock.now() + this.#random.between(...CANCELS_EVERY), next);
    };
    clock.schedule(clock.now() + this.#random.between(...CANCELS_EVERY), next);
  }

  #lookEach(world: World, life: () => Life): void {
    const { clock } = world;
    const look = () => {
      if (world.restsFrom <= clock.now()) return;
      this.see(life());
      clock.schedule(clock.now() + LOOKS_EVERY_MS, look);
    };
    clock.schedule(clock.now() + LOOKS_EVERY_MS, look);
  }
}

/** An exit of a strategy that the bot knows, and does not cancel itself. */
function isExit({ clientOrderId }: OrderEntry, { bot: { state } }: Life): boolean {
  const order = state.order(clientOrderId);
  return order?.request.reduceOnly === true && EXIT.test(order.tag) && !order.cancelRequested;
}
