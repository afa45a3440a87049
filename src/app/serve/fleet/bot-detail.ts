import { statSync } from 'node:fs';
import type { SeenBot } from '../../fleet/bot-state.ts';
import { Refusal } from '../access/guard.ts';
import type { BotDetail } from '../api/bot-schemas.ts';
import { actsOf } from '../steering/acts.ts';
import type { Look } from './fleet-watch.ts';

/** A bot of a look. @throws Refusal if there is none of that id. */
export function botOf(id: string, { seen }: Look): SeenBot {
  const bot = seen.get(id);
  if (bot === undefined) throw new Refusal(404, 'NOT_FOUND', 'there is no bot of this id');
  return bot;
}

/** One bot with everything that it says, and what an operator can have it do. */
export function botDetail(id: string, look: Look): BotDetail {
  const bot = botOf(id, look);
  const { journal } = bot.folder;
  const bytes = sizeOf(journal);
  return {
    ...look.fleet.bots.find((row) => row.id === id)!,
    time: look.fleet.time,
    status: (bot.status ?? null) as BotDetail['status'],
    journal: bytes === undefined ? null : { path: journal, bytes: bytes + (sizeOf(`${journal}-wal`) ?? 0) },
    acts: actsOf(bot),
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
