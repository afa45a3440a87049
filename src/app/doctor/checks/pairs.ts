import { pairTroubles } from '../../live/planning/exchange-checks.ts';
import { type Check, failed, ok, skipped, warning } from '../check.ts';

const MEND = 'write into the config what the exchange says: `tidegate api exchangeInfo`';

export const pairs: Check = {
  id: 'pairs',
  title: 'pairs are listed, in the units of the config',
  modes: ['live'],
  needs: ['spot'],
  mend: MEND,
  async run({ exchange, instruments }) {
    const spot = instruments.filter(({ kind }) => kind === 'spot');
    if (spot.length === 0) return skipped('no pair is traded');
    const { wrong, notes } = await pairTroubles(exchange, spot);
    if (wrong.length > 0) return failed(wrong.join('; '), MEND);
    return notes.length > 0 ? warning(notes.join('; '), MEND) : ok(spot.map(({ symbol }) => symbol).join(', '));
  },
};
