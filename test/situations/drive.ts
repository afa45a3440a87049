import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BotStatus } from '../../src/app/live/process/bot-status.ts';
import type { OperationName } from '../../src/exchange/operations/operation-table.ts';
import { type Cell, type SituationName, titleOf } from './list.ts';
import { OWN_COINS, Place, type PlaceOptions, SIZE, slept, until } from './place.ts';
import { expected, type Left } from './rules.ts';
import { sameLeft } from './table.ts';

const PLACES: readonly OperationName[] = ['batchOrders', 'triggerOrder'];
const CANCELS: readonly OperationName[] = ['cancelOrder', 'cancelFuturesOrder'];

/** Brings a bot that holds its position into the situation. */
const MAKE: Readonly<Record<SituationName, (place: Place) => Promise<void>>> = {
  async network(place) {
    await place.gone();
    place.faults([{ fault: 'drop' }]);
    await waiting(place);
  },
  async clock(place) {
    await place.gone();
    place.clock.aheadMs = 5_000;
    await waiting(place);
  },
  async key(place) {
    await place.gone();
    place.exchange.control.setStatus('bot', { frozen: true });
    await waiting(place);
  },
  async second(place) {
    const { bot } = place;
    const { code } = await place.start('live').ended;
    place.bot = bot;
    if (code !== 7) throw new Error(`a second start ended with ${code}, not 7`);
  },
  async ready() {},
  async foreign(place) {
    place.trade('buy', 0.001);
    await halted(place);
  },
  async reserved(place) {
    place.reserve();
    await halted(place);
  },
  async unexplained(place) {
    place.exchange.control.deposit('bot', 'spot', 'BTC', '0.5');
    place.byHand += 0.5;
    await halted(place);
  },
  async older(place) {
    await place.gone();
    const mark = JSON.parse(readFileSync(place.mark, 'utf8')) as { readonly records: number };
    writeFileSync(place.mark, JSON.stringify({ ...mark, records: mark.records + 1_000 }));
    await place.ready();
    await halted(place);
  },
  async sold(place) {
    await place.gone();
    // On spot, more than the account's own coins.
    place.trade('sell', SIZE / 2 + (place.options.market === 'spot' ? OWN_COINS : 0));
    await place.ready();
    await halted(place);
  },
  async unknown(place) {
    place.faults([{ fault: 'drop', operations: PLACES, times: 1 }]);
    place.price(ACTING);
    await halted(place);
  },
  async fills(place) {
    place.price(ACTING);
    await until(
      () => place.entries() === 2,
      () => 'the second strategy has not placed its bid',
    );
    place.hideFills(true);
    place.price(BELOW);
    await until(
      () => place.entries() === 1,
      () => 'the bid is not filled',
    );
    await halted(place);
  },
  async vanished(place) {
    place.faults([{ fault: 'phantom', operations: PLACES, times: 1 }]);
    place.price(ACTING);
    await halted(place);
  },
  async money(place) {
    place.addMoney(7);
    // A snapshot of an older version than the last is not read.
    place.exchange.control.deposit('bot', 'futures', 'USDT', '1');
    await halted(place);
  },
  async stops(place) {
    place.cancelStop();
    await until(
      async () => /places it again/.test(place.logText()) && place.left().orders === 'all' && (await place.status())?.health.length === 0,
      () => 'the stop is not placed again',
    );
    place.cancelStop();
    await halted(place);
  },
  async reduced(place) {
    await place.command('reduce');
    await latched(place);
  },
  async drawdown(place) {
    place.price('59000');
    await latched(place);
  },
  async daily(place) {
    place.price('59000');
    await latched(place);
  },
  async errors(place) {
    place.faults([{ fault: 'tooMany', operations: PLACES, times: 1 }]);
    place.price(ACTING);
    await latched(place);
  },
  async losses(place) {
    await lost(place);
  },
  async pause(place) {
    await lost(place);
  },
  async guard(place) {
    await lost(place);
  },
  async lock(place) {
    place.price(ACTING);
    await latched(place);
  },
  async killed(place) {
    await place.command('kill');
    await until(
      () => place.left().orders === 'none',
      () => 'orders are left',
    );
  },
  async closing(place) {
    place.faults([{ fault: 'unlisted', operations: PLACES }]);
    await place.command('kill', '--flatten', '--wait', '1');
    await until(
      () => place.left().orders === 'none',
      () => 'orders are left',
    );
  },
  async stopping(place) {
    place.faults([{ fault: 'failBefore', operations: CANCELS }]);
    place.bot!.child.kill('SIGTERM');
    await until(
      () => /"msg":"stopping"/.test(place.bot!.stdout),
      () => 'it is not stopping',
    );
  },
  async hung(place) {
    place.bot!.child.kill('SIGSTOP');
  },
  async gone(place) {
    await place.gone();
  },
};

/** Ends the situation. */
const GO_ON: Readonly<Partial<Record<SituationName, (place: Place) => Promise<void>>>> = {
  async network(place) {
    place.faults([]);
  },
  async clock(place) {
    place.clock.aheadMs = 0;
  },
  async key(place) {
    place.exchange.control.setStatus('bot', { frozen: false });
  },
  async fills(place) {
    place.hideFills(false);
  },
  async closing(place) {
    place.faults([]);
  },
  async stopping(place) {
    place.faults([]);
  },
  async hung(place) {
    place.bot!.child.kill('SIGCONT');
  },
  async gone(place) {
    place.start();
  },
};

/** What the config of a situation's bot has in addition. */
const SETTINGS: Readonly<Partial<Record<SituationName, Pick<PlaceOptions, 'live' | 'risk' | 'second' | 'locks' | 'behaviour'>>>> = {
  foreign: { live: ', foreign: block' },
  reserved: { live: ', foreign: block' },
  unexplained: { live: ', unexplained: halt' },
  unknown: { live: ', unknownLimitMs: 3000', second: 'bid' },
  fills: { live: ', fillGapMs: 2000', second: 'buy', behaviour: { shownFirst: 'order' } },
  vanished: { second: 'bid' },
  money: { live: ', unexplained: halt' },
  drawdown: { risk: 'risk: { account: { maxDrawdown: { limit: "0.00005" } } }' },
  daily: { risk: 'risk: { account: { dailyLoss: { limit: "0.00005" } } }' },
  errors: { risk: 'risk: { account: { errorBudget: { errors: 1, perMs: 600000 } } }', second: 'bid' },
  losses: { risk: 'risk: { account: { cooldown: { losses: 1, for: 1h } } }', second: 'loss' },
  pause: { risk: 'risk: { account: { symbolCooldown: { for: 1h } } }', second: 'loss' },
  guard: { risk: 'risk: { account: { stopLossGuard: { stops: 1, within: 1h, for: 1h } } }', second: 'stop' },
  lock: { locks: true },
};

async function waiting(place: Place): Promise<void> {
  place.start();
  await until(
    async () => (await place.status())?.phase === 'starting',
    () => `it does not wait: ${place.bot!.stderr}`,
    place.bot,
  );
  // Its first attempt has failed.
  await slept(1_500);
}

/** The second strategy acts above 61,000, and loses if the price then falls. */
const ACTING = '61500';
const FALLEN = '60000';
/** Below the second strategy's bid at 60,885. */
const BELOW = '60800';

async function lost(place: Place): Promise<void> {
  place.price(ACTING);
  const positions = async () => (await place.status())?.strategies.find(({ id }) => id === 'two')?.positions ?? {};
  await until(
    async () => Object.keys(await positions()).length > 0,
    () => 'the second strategy has not bought',
  );
  place.price(FALLEN);
  await latched(place);
  await until(
    async () => Object.keys(await positions()).length === 0,
    () => 'the second strategy has not sold',
  );
}

/** A latch is in force, and has canceled the bid. */
async function latched(place: Place): Promise<void> {
  await until(
    async () => ((await place.status())?.latches.length ?? 0) > 0,
    () => `no latch: ${place.logText().slice(-1_500)}`,
  );
  await until(
    () => place.left().orders !== 'all',
    () => 'the bid is not canceled',
  );
}

async function halted(place: Place): Promise<void> {
  await until(
    async () => (await place.status())?.health.some(({ condition }) => condition === 'halted') === true,
    () => `it is not halted: ${place.logText().slice(-1_500)}`,
  );
}

/** What a cell came to. */
export interface CellResult {
  readonly title: string;
  readonly wrong: readonly string[];
  readonly seconds: number;
}

/** How long a kill that flattens is waited for, in s: where it can succeed, until an outcome is proved; where it cannot. */
const [PROVED_S, VAIN_S] = ['60', '3'];
/** Nothing more changes after that, in ms. */
const CALM_MS = 1_500;
/** A bot sees by then what was done at the exchange. */
const SEEN_MS = 10_000;
/** An effect that takes longer is missing. */
const EFFECT_MS = 90_000;

/** Runs one cell. */
export async function runCell(cell: Cell, root: string, folder: string): Promise<CellResult> {
  const began = performance.now();
  const wrong: string[] = [];
  const { situation, command, market } = cell;
  mkdirSync(folder, { recursive: true });
  const options = { root, folder, market, watchdogFlattens: command === 'watchdog, flatten', ...SETTINGS[situation.name] };
  const place = await Place.open(options);
  try {
    await place.holding();
    await MAKE[situation.name](place);
    const right = expected(cell);
    wrong.push(...(await statusIn(place, cell)));
    const code = await given(place, cell);
    if (code !== right.code) wrong.push(`exit code ${code}, expected ${right.code}`);
    wrong.push(...(await leftIn(place, right.left, 'left')));
    if (right.isUp) wrong.push(...(await statusAfter(place, cell)));
    if (!right.isUp)
      await until(
        () => place.bot?.isUp !== true,
        () => 'the bot goes on',
        undefined,
        EFFECT_MS,
      ).catch((error) => wrong.push(error.message));
    else if (place.bot?.isUp !== true) wrong.push('the bot has ended');
    wrong.push(...(await healthIn(place)));
    if (right.later !== undefined) {
      await GO_ON[situation.name]!(place);
      wrong.push(...(await leftIn(place, right.later, `left when ${situation.goesOn}`)), ...(await healthIn(place)));
    }
  } catch (error) {
    wrong.push(`cannot be brought about: ${(error as Error).message}`);
  } finally {
    await place.close();
  }
  return { title: titleOf(cell), wrong, seconds: (performance.now() - began) / 1_000 };
}

/** What `status` says before the command. */
async function statusIn(place: Place, { situation }: Cell): Promise<string[]> {
  if (situation.process !== 'answers') return [];
  const status = await place.status();
  if (status === undefined) return ['status does not answer'];
  const text = JSON.stringify({ ...status, journal: undefined });
  return [
    ...(status.trading === situation.trading ? [] : [`status says trading ${status.trading}, expected ${situation.trading}`]),
    ...(situation.shows.test(text) ? [] : [`status does not show ${situation.shows}`]),
  ];
}

/** What `status` says after the command. */
async function statusAfter(place: Place, { situation, command }: Cell): Promise<string[]> {
  if (situation.process !== 'answers') return [];
  const status = await place.status();
  if (status === undefined) return ['status does not answer after the command'];
  const latch = status.latches.find(({ rule }) => rule === command.split(' ')[0]);
  // A reduce during a start is kept for the bot, which is not built yet; a kill latches at once.
  const isLatching = command.startsWith('kill') || (command === 'reduce' && situation.beats);
  const flattens = command === 'kill --flatten';
  return [
    ...(isLatching && (latch === undefined || (flattens && latch.flatten !== true)) ? [`status shows no latch of ${command}`] : []),
    ...(command === 'reset' && situation.reset === 'trades' && status.trading !== 'yes'
      ? [`after a reset, trading is ${status.trading}`]
      : []),
  ];
}

/** Gives the command. @returns its exit code; undefined for a watchdog. */
async function given(place: Place, { command, situation }: Cell): Promise<number | null | undefined> {
  if (command.startsWith('watchdog')) {
    const watchdog = place.watch();
    await until(
      () => /"msg":"ready"/.test(watchdog.stdout),
      () => `the watchdog is not ready: ${watchdog.stderr}`,
      watchdog,
    );
    await slept(situation.beats ? 5_000 : 4_000);
    return undefined;
  }
  const wait = command === 'kill --flatten' ? ['--wait', situation.bot === 'acts' && situation.hides !== true ? PROVED_S : VAIN_S] : [];
  return (await place.command(...command.split(' '), ...wait)).code;
}

/** Compares what is left at the exchange: after a while if it is to stay, as soon as it is so if it is to change. */
async function leftIn(place: Place, right: Left, when: string): Promise<string[]> {
  const isSpot = place.options.market === 'spot';
  // On spot the engine holds the exits.
  const shown: Left = isSpot && right.orders === 'exits' ? { ...right, orders: 'none' } : right;
  const isRight = () => sameLeft(place.left(), shown);
  await until(isRight, () => '', undefined, EFFECT_MS).catch(() => {});
  await slept(CALM_MS);
  const { position, orders } = place.left();
  const status = isSpot && right.position === 'open' && place.bot?.isUp === true ? await place.status() : undefined;
  const holds = status === undefined || status.phase !== 'running' || (status.openOrders.held ?? 0) > 0 === (right.orders !== 'none');
  return [
    ...(isRight() ? [] : [`${when}: position ${position}, orders ${orders}; expected ${shown.position}, ${shown.orders}`]),
    ...(holds ? [] : [`${when}: the engine holds ${status.openOrders.held ?? 0} exits; expected ${right.orders}`]),
  ];
}

/** A bot that answers never has an open position that nothing guards with an empty health. */
async function healthIn(place: Place): Promise<string[]> {
  let wrong: string[] = [];
  const look = async () => {
    const status = place.left().position === 'open' ? await place.status() : undefined;
    wrong = status === undefined ? [] : bareIn(status, place.left());
    return wrong.length === 0;
  };
  // A bot that has just started may still expect an order that others have canceled.
  await until(look, () => '', undefined, SEEN_MS).catch(() => {});
  return wrong;
}

/** @returns what is wrong with a status while a position is open. */
export function bareIn(
  { health, openOrders, phase, trading }: Pick<BotStatus, 'health' | 'openOrders' | 'phase' | 'trading'>,
  { orders }: Left,
): string[] {
  const isGuarded = phase === 'running' && ((openOrders.held ?? 0) > 0 || orders !== 'none');
  if (isGuarded || health.length > 0) return [];
  return [`an open position without a stop and an empty health (${phase}, trading ${trading})`];
}

export function folderOf(folder: string, index: number): string {
  return join(folder, String(index));
}
