import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Check, failed, ok } from '../check.ts';

export const botFolderCheck: Check = {
  id: 'folder',
  title: "the bot's folder can be written to",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: 'give the folder to the user of the bot',
  run({ folder: { path, journal } }) {
    const places = [journal, `${journal}-wal`, path].filter(existsSync);
    const nearest = places.length > 0 ? places : [nearestOf(path)];
    for (const place of nearest) {
      try {
        accessSync(place, place === path || places.length === 0 ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'this user may not write there' : (error as Error).message;
        return failed(`${place}: ${why}`, 'give it to the user of the bot, or name another folder in `dir`');
      }
    }
    return ok(path);
  },
};

/** The folder that would be made lies somewhere in one that is there. */
function nearestOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestOf(dirname(path));
}
