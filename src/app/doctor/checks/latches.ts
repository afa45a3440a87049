import { existsSync } from 'node:fs';
import { setLatches } from '../../../journal/inspect-journal.ts';
import { type Check, failed, ok } from '../check.ts';

export const latches: Check = {
  id: 'latches',
  title: 'nothing keeps the bot from trading',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'mend the journal first',
  run({ folder, instruments }) {
    const set = existsSync(folder.journal) ? setLatches(folder.journal, instruments) : [];
    const words = set.map(
      ({ rule, strategyId, reason }) => `${rule}${strategyId === undefined ? '' : ` of ${strategyId}`} (${reason ?? ''})`,
    );
    const isKilled = existsSync(folder.killFile);
    if (!isKilled && set.length === 0) return ok('no kill file, no latch');
    const found = [...(isKilled ? [`the kill file ${folder.killFile} is there`] : []), ...words.map((word) => `latched: ${word}`)];
    const file = isKilled ? 'remove the kill file, then ' : '';
    return failed(found.join('; '), `find out why; ${file}\`tidegate reset\` while the bot runs`);
  },
};
