import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { HeldSnapshot } from '../../../engine/held/held-memory.ts';
import { BotJournal, type BotJournalOptions } from '../../../journal/bot-journal.ts';
import type { AccountEvent, OrderSubmitted } from '../../../model/account-events.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Log } from '../../../ports/log.ts';
import type { BotFolder } from '../../planning/bot-folder.ts';
import { watchdogText } from './filed-command.ts';

/** How often to check whether the watchdog is done, in ms. */
const LOOK_MS = 500;
const LOG_EVERY = 20;

export interface Waiting {
  readonly log: Log;
  /** Ends the wait for a watchdog that still acts: then nothing is taken over. */
  readonly signal: AbortSignal;
}

/**
 * Takes over the orders of a watchdog before the bot starts: the orders with which it closed positions are added to the journal, and the
 * start queries them as all others. Waits while the watchdog still acts. If the watchdog was closing positions, the kill file makes the
 * bot continue this.
 * @returns whether there were any orders.
 * @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED
 */
export async function takeHandover(
  folder: BotFolder,
  journal: BotJournal,
  options: BotJournalOptions,
  { log, signal }: Waiting,
): Promise<boolean> {
  if (!existsSync(folder.watchdogJournal)) return false;
  const acted = await opened(folder.watchdogJournal, options, { log, signal });
  if (acted === undefined) return false;
  let unfinished = false;
  let flattens = false;
  try {
    const known = new Set(submitted(journal).map(({ clientOrderId }) => clientOrderId));
    const orders = submitted(acted).filter(({ clientOrderId }) => !known.has(clientOrderId));
    journal.outside(() => {
      for (const event of orders) journal.event(0, event);
    });
    unfinished = ((acted.lastOf('held')?.value as HeldSnapshot | undefined)?.flattening.length ?? 0) > 0;
    flattens = killFlattens(acted);
    log.warn('a watchdog has acted for this bot: the bot takes over its orders', {
      orders: orders.map(({ clientOrderId }) => clientOrderId),
      unfinished,
    });
  } finally {
    acted.close();
  }
  // The bot also closes late fills.
  if (unfinished || flattens) {
    const why = unfinished ? 'it was stopped before all was closed' : 'it has closed the positions';
    writeFileSync(folder.killFile, watchdogText(why, true));
  }
  for (const end of ['-wal', '-shm', '.mark']) rmSync(`${folder.watchdogJournal}${end}`, { force: true });
  renameSync(folder.watchdogJournal, `${folder.watchdogJournal}.taken`);
  return true;
}

async function opened(path: string, options: BotJournalOptions, { log, signal }: Waiting): Promise<BotJournal | undefined> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return BotJournal.open(path, options);
    } catch (error) {
      if (!(error instanceof TidegateError) || error.code !== 'BOT_RUNNING') throw error;
      if (tries % LOG_EVERY === 0) log.warn('a watchdog acts for this bot: the start waits until it is done');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  return undefined;
}

function submitted(journal: BotJournal): OrderSubmitted[] {
  const found: OrderSubmitted[] = [];
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: { readonly kind: string } };
    if (event.kind === 'orderSubmitted') found.push(event as OrderSubmitted);
  }
  return found;
}

/** Whether a kill that closes positions is in force at the end of the journal. */
function killFlattens(journal: BotJournal): boolean {
  let flattens = false;
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if ((event.kind === 'riskLatched' || event.kind === 'latchReset') && event.rule === 'kill') {
      flattens = event.kind === 'riskLatched' && event.flatten === true;
    }
  }
  return flattens;
}
